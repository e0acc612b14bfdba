import { layoutMachine, type MachineGraph, toGraph, toSvg } from 'agent-machines/inspect';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { scenario } from '../../../fixtures/scenario.ts';

const workflow = logWorkflow({
  states: {
    a: node('a', [
      { target: 'ask', guard: 'big' },
      { target: 'a', reenter: true },
    ]),
    ask: waiting({ GO: 'done', EDIT: { target: 'ask', reenter: true } }, { 3600000: 'failed' }),
    done: final,
    failed: failure,
  },
  guards: { big: () => true },
  nodes: { a: says('a') },
});
const graph = toGraph(workflow.machine);

const nothing = async () => ({});
const nested = toGraph(scenario({ a: nothing, left: nothing, right: nothing, c: nothing }).machine);

/** Texts of a drawing, in their order. */
function textsOf(svg: string): string[] {
  const texts: string[] = [];
  let inside = false;
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    inside = name === 'text' || name === 'tspan';
  });
  parser.on('text', (text) => {
    if (inside && text.trim()) texts.push(text);
  });
  parser.write(svg).close();
  return texts;
}

describe('toSvg', () => {
  it('labels each line with its condition, and with its turn where the order decides', () => {
    expect(textsOf(toSvg(graph))).toEqual(['a', 'ask', 'done', 'failed', '1 big', '2 else', 'GO', 'EDIT', 'after 1 h']);
  });

  it('draws nested states, and names parallel ones', () => {
    expect(textsOf(toSvg(nested))).toEqual(expect.arrayContaining(['both · parallel', 'left', 'right', 'run', 'end', 'all done']));
  });

  it('highlights the path of a run, its labels and its state', () => {
    const plain = toSvg(graph);
    const lit = toSvg(graph, { path: [{ from: 'a', on: 'done', guard: 'big' }], active: ['ask'] });
    expect(plain).not.toContain('#2563eb');
    const blue = lit.split('\n').filter((line) => line.includes('#2563eb'));
    expect(blue.map((line) => /data-state="\w+"|<text/.exec(line)?.[0] ?? line.slice(0, 5)).sort()).toEqual([
      '<path',
      '<text',
      'data-state="a"',
      'data-state="ask"',
    ]);
  });

  it('highlights only the taken one of several events that share a label', () => {
    const states = { ask: waiting({ GO: 'done', SEND: 'done', STOP: 'failed' }), done: final, failed: failure };
    const lit = toSvg(toGraph(logWorkflow({ states }).machine), { path: [{ from: 'ask', on: 'SEND' }] });
    const blue = [...lit.matchAll(/<(?:text|tspan)[^>]*fill="#2563eb"[^>]*>([^<]*)</g)].map(([, text]) => text);
    expect(blue).toEqual(['SEND']);
    expect(textsOf(lit).join('')).toContain('GO, SEND');
  });

  it('tells edges with equal guards apart by their turn', () => {
    const edge = { on: 'GO', guard: '(inline)', reenter: false, actions: [] };
    const states: MachineGraph['states'] = [
      {
        path: 'a',
        kind: 'idle',
        parent: '',
        edges: [
          { ...edge, target: 'b' },
          { ...edge, target: 'c' },
        ],
      },
      { path: 'b', kind: 'idle', parent: '', edges: [] },
      { path: 'c', kind: 'idle', parent: '', edges: [] },
    ];
    const svg = toSvg({ id: 'x', version: '1', initial: 'a', states }, { path: [{ from: 'a', on: 'GO', guard: '(inline)', turn: 1 }] });
    expect(svg.split('\n').filter((line) => line.includes('stroke="#2563eb"') && line.startsWith('<path'))).toHaveLength(1);
    expect([...svg.matchAll(/<text[^>]*fill="#2563eb"[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual(['2 GO [(inline)]']);
  });

  it('numbers the steps of a path on their edges, and lists them with their values', () => {
    const steps = [
      { title: 'start in a', edges: [], values: ['big: true'] },
      { title: 'a: done', edges: [{ from: 'a', on: 'done', guard: 'big' }], values: ['log: [] → ["a"] <b>'] },
      { title: 'ask: EDIT', edges: [{ from: 'ask', on: 'EDIT' }] },
    ];
    const [plain, svg] = [toSvg(graph), toSvg(graph, { steps })];
    const texts = textsOf(svg).slice(textsOf(plain).length);
    expect(texts).toEqual(['1', '2', 'start in a', 'big: true', '1', 'a: done', 'log: [] → ["a"] <b>', '2', 'ask: EDIT']);
    const widthOf = (drawing: string): number => Number(/ width="(\d+)"/.exec(drawing)?.[1]);
    expect(widthOf(svg)).toBeGreaterThan(widthOf(plain) + 100);
    expect(svg).toContain(
      'The path of the run is a (big), ask (EDIT).\nstart in a; big: true\na: done; log: [] → [&quot;a&quot;] &lt;b&gt;\nask: EDIT</desc>',
    );
  });

  it('ignores edges and states that the machine lacks', () => {
    expect(textsOf(toSvg(graph, { path: [{ from: 'gone', on: 'done' }], active: ['gone'] }))).toEqual(textsOf(toSvg(graph)));
  });

  it('has other colors in dark mode, and both in auto mode', () => {
    expect(toSvg(graph, { theme: 'dark' })).toContain('fill="#0f141b"');
    const auto = toSvg(graph, { theme: 'auto' });
    expect(auto).toContain('fill="#ffffff"');
    expect(auto).toMatch(/@media \(prefers-color-scheme:dark\)\{.*\{fill:#0f141b\}/);
  });

  it('describes the drawing in words', () => {
    const svg = toSvg(graph, { title: 'Ask <first>', path: [{ from: 'a', on: 'done', guard: 'big' }], active: ['ask'] });
    expect(svg).toContain('>Ask &lt;first&gt;</title>');
    const [, description = ''] = /<desc[^>]*>([\s\S]*?)<\/desc>/.exec(svg) ?? [];
    expect(description.split('\n')).toEqual([
      '4 states. It begins in a.',
      'It ends in done, failed (failed).',
      'It waits for a human in ask.',
      'a: done [big] to ask; done to a; error to failed.',
      'ask: GO to done; EDIT to ask; after 3600000 to failed.',
      'The path of the run is a (big).',
      'It is in ask.',
    ]);
  });

  it('has ids that no other drawing has', () => {
    const ids = [toSvg(graph), toSvg(nested), toSvg(graph, { theme: 'dark' })].flatMap((svg) => [...svg.matchAll(/ id="([^"]+)"/g)]);
    expect(new Set(ids.map(([, id]) => id)).size).toBe(6);
  });

  it('distinguishes a failed end and a waiting state without colors', () => {
    const shapeOf = (state: string): number =>
      toSvg(graph)
        .split('\n')
        .find((line) => line.includes(`data-state="${state}"`))
        ?.match(/<(?:rect|path)/g)?.length ?? 0;
    expect([shapeOf('a'), shapeOf('ask'), shapeOf('done'), shapeOf('failed')]).toEqual([1, 2, 2, 3]);
  });

  it('draws a machine without states or with one', () => {
    const empty: MachineGraph = { id: 'empty', version: '1', initial: '', states: [] };
    expect(textsOf(toSvg(empty))).toEqual([]);
    expect(textsOf(toSvg({ ...empty, initial: 'only', states: [{ path: 'only', kind: 'final', parent: '', edges: [] }] }))).toEqual([
      'only',
    ]);
  });
});

describe('layoutMachine', () => {
  it('puts states below each other in declared order, and an end behind its sources', () => {
    const tops = layoutMachine(graph).states.map(({ state, y }) => [state.path, y] as const);
    expect([...tops].sort(([, a], [, b]) => a - b).map(([path]) => path)).toEqual(['a', 'ask', 'done', 'failed']);
  });

  it('gives a Korean letter more room than a Latin one', () => {
    const widthOf = (path: string): number =>
      layoutMachine({ id: 'x', version: '1', initial: path, states: [{ path, kind: 'node', parent: '', edges: [] }] }).width;
    expect(widthOf('가나다라마바사아자차')).toBeGreaterThan(widthOf('abcdefghij'));
    expect(widthOf('가'.repeat(1000))).toBe(widthOf('나'.repeat(100)));
  });

  /** Machine with a parallel state of these regions, each with a step and an end. */
  const withRegions = (regions: readonly string[], more: Partial<MachineGraph['states'][number]> = {}): MachineGraph => ({
    id: 'x',
    version: '1',
    initial: 'both',
    states: [
      { path: 'both', kind: 'parallel', parent: '', edges: [] },
      ...regions.flatMap((name): MachineGraph['states'] => [
        { path: `both.${name}`, kind: 'compound', parent: 'both', initial: `both.${name}.step`, edges: [] },
        { path: `both.${name}.step`, kind: 'node', parent: `both.${name}`, edges: [], ...(name === 'b' ? more : {}) },
      ]),
      { path: 'out', kind: 'final', parent: '', edges: [] },
    ],
  });
  const topsOf = (graph: MachineGraph): ReadonlySet<number> =>
    new Set(layoutMachine(graph).states.flatMap(({ region, y }) => (region ? [y] : [])));

  it('puts regions side by side if they fit', () => {
    expect(topsOf(withRegions(['a', 'b', 'c'])).size).toBe(1);
    expect(topsOf(withRegions([...'abcdefghi'])).size).toBe(2);
    expect(topsOf(withRegions(['a', 'b', 'c'].map((name) => name.repeat(39)))).size).toBe(2);
  });

  it('puts regions below each other if a line would cross another one, and takes the free side otherwise', () => {
    const edges = [{ on: 'error', target: 'out', reenter: false, actions: [] }];
    expect(topsOf(withRegions(['a', 'b', 'c'], { edges })).size).toBe(2);
    expect(topsOf(withRegions([...'abcdef'], { edges: [{ on: 'GO', target: 'both.e', reenter: false, actions: [] }] })).size).toBe(6);
    const layout = layoutMachine(withRegions(['a', 'b'], { edges }));
    const [first, second] = layout.edges[0]?.points ?? [];
    expect(topsOf(withRegions(['a', 'b'], { edges })).size).toBe(1);
    expect((second?.x ?? 0) - (first?.x ?? 0)).toBeGreaterThan(0);
  });
});
