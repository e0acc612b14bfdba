import type { EvalRun, EvalVersion } from 'agent-machines/server';
import { describe, expect, it } from 'vitest';
import { caseRows, foreignEdges, isFailed, pathView } from '../../../src/studio/model/eval-view.ts';
import { hostileCase, reportOf } from '../../fixtures/eval-reports.ts';

type Scores = Readonly<Record<string, number | undefined>>;

/** A report with a run for each case, of these scores by grader. */
function version(id: string, cases: Readonly<Record<string, Scores | readonly Scores[]>>): EvalVersion {
  const runs = Object.entries(cases).flatMap(([name, given]) =>
    [given].flat().map(
      (scores, repeat): EvalRun => ({
        case: name,
        repeat,
        status: 'done',
        path: [],
        calls: [],
        modelCalls: 0,
        usage: { inputTokens: 0, outputTokens: 0 },
        durationMs: 0,
        scores: Object.fromEntries(Object.entries(scores).flatMap(([grader, score]) => (score === undefined ? [] : [[grader, { score }]]))),
      }),
    ),
  );
  const names = new Set(runs.flatMap(({ scores }) => Object.keys(scores)));
  const graders = [...names].map((name) => ({ name, mean: 1, threshold: 1, ok: true }));
  return { id, label: id, file: id, addedAt: 0, workflow: 'w', version: '1', ok: true, graders, runs };
}

const marks = (...reports: readonly EvalVersion[]): readonly string[] =>
  caseRows(reports, reports.at(-2), reports.at(-1)).map(({ name, mark }) => `${name} ${mark}`);

describe('caseRows', () => {
  it('puts changed cases first, then failed ones', () => {
    const before = version('a', { ok: { x: 1 }, rose: { x: 0 }, low: { x: 0.5 }, fell: { x: 1 }, gone: { x: 1 } });
    const after = version('b', { ok: { x: 1 }, rose: { x: 1 }, low: { x: 0.5 }, fell: { x: 0 } });
    expect(marks(before, after)).toEqual(['fell worse', 'rose better', 'gone apart', 'low same', 'ok same']);
  });

  it('keeps the order of the newest version', () => {
    const [before, after] = [version('a', { old: { x: 1 }, one: { x: 1 }, two: { x: 1 } }), version('b', { two: { x: 1 }, one: { x: 1 } })];
    expect(caseRows([before, after], after, after).map(({ name }) => name)).toEqual(['two', 'one', 'old']);
  });

  it('calls a case mixed if one grader rose and another fell', () => {
    expect(marks(version('a', { one: { x: 0, y: 1 } }), version('b', { one: { x: 1, y: 0 } }))).toEqual(['one mixed']);
  });

  it('averages repeats, and counts those that pass', () => {
    const before = version('a', { one: [{ x: 1 }, { x: 0 }] });
    const after = version('b', { one: [{ x: 0 }, { x: 1 }] });
    const [row] = caseRows([before, after], before, after);
    expect(row).toMatchObject({ mark: 'same', cells: [{ passed: 1 }, { passed: 1, scores: [{ grader: 'x', score: 0.5 }] }] });
    expect(row?.cells.every(isFailed)).toBe(true);
  });

  it('compares the graders that both versions have, whatever they are called', () => {
    const before = version('a', { one: { constructor: 1, __proto__: undefined, toString: 0 } });
    const after = version('b', { one: { constructor: 1, hasOwnProperty: 0 } });
    expect(marks(before, after)).toEqual(['one same']);
    const lost: EvalVersion = { ...after, runs: after.runs.map((run) => ({ ...run, scores: {} })) };
    expect(marks(before, lost)).toEqual(['one worse']);
  });

  it('shows each version beside the one to its left', () => {
    const [a, b, c] = [version('a', { one: { x: 0 } }), version('b', { one: { x: 1 } }), version('c', { one: { x: 0 } })] as const;
    const [row] = caseRows([a, b, c], a, c);
    expect([row?.mark, ...(row?.cells.map(({ mark }) => mark) ?? [])]).toEqual(['same', undefined, 'better', 'worse']);
    expect(caseRows([a], undefined, a)).toMatchObject([{ name: 'one', mark: 'same' }]);
  });
});

describe('pathView', () => {
  it('holds the moves of a run and the state in which it ended', async () => {
    const { rows, graph } = await reportOf('1');
    const run = rows.find((row) => row.case === hostileCase);
    const view = pathView(run);
    expect(view?.moves.map(({ from, on, to }) => `${from} ${on} ${to}`)).toEqual(run?.path.map((edge) => edge.replace('->', 'done')));
    expect(view?.active).toEqual(['sent']);
    expect(graph && foreignEdges(run, graph)).toEqual([]);
    const older = graph && { ...graph, states: graph.states.filter(({ path }) => path !== 'lookup') };
    expect(older && foreignEdges(run, older)).toEqual(['lookup → answer']);
  });

  it('is absent for a report of an earlier release', () => {
    expect(pathView(version('a', { one: { x: 1 } }).runs[0])).toBeUndefined();
  });
});
