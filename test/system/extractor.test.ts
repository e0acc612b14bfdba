// What `graph --format xstate` writes, read by the reader of Stately's editor.
import { type GraphEdge, type MachineGraph, toGraph, toXStateSource } from 'agent-machines/inspect';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { drafts } from '../fixtures/drafts.ts';
import { scenario } from '../fixtures/scenario.ts';
import { installedFile, installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Named {
  readonly type: string;
}
interface ExtractedEdge {
  readonly target?: string | readonly string[];
  readonly cond?: Named;
  readonly actions?: OneOrMany<{ readonly action: Named }>;
}
type OneOrMany<T> = T | readonly T[];
type Edges = Readonly<Record<string, OneOrMany<ExtractedEdge>>>;
interface ExtractedState {
  readonly type?: string;
  readonly initial?: string;
  readonly tags?: OneOrMany<string>;
  readonly invoke?: { readonly src: string; readonly onDone?: OneOrMany<ExtractedEdge>; readonly onError?: OneOrMany<ExtractedEdge> };
  readonly on?: Edges;
  readonly after?: Edges;
  readonly always?: OneOrMany<ExtractedEdge>;
  readonly onDone?: OneOrMany<ExtractedEdge>;
  readonly states?: Readonly<Record<string, ExtractedState>>;
}
interface Extractor {
  extractMachinesFromFile(
    text: string,
  ): { readonly machines: readonly { toConfig(): ExtractedState & { readonly id: string } }[] } | undefined;
}
let extractor: Extractor;

beforeAll(async () => {
  installFolder('extractor');
  const file = installedFile('extractor', '@xstate/machine-extractor/dist/xstate-machine-extractor.cjs.mjs');
  extractor = (await import(file.href)) as Extractor;
}, 300_000);

const list = <T>(value: OneOrMany<T> | undefined): readonly T[] => (value === undefined ? [] : Array.isArray(value) ? value : [value as T]);

/** What an edge says, on one line. */
const line = (path: string, on: string, guard: string | undefined, targets: readonly string[], actions: readonly string[]): string =>
  `${path}: ${on} [${guard ?? ''}] ${targets.join('+')} / ${actions.join()}`;

/** Every state and edge of what was read. */
function linesOf(id: string, path: string, state: ExtractedState): readonly string[] {
  const edges = (on: string, found: OneOrMany<ExtractedEdge> | undefined): readonly string[] =>
    list(found).map(({ target, cond, actions }) => {
      const targets = list(target).map((one) => one.slice(id.length + 2));
      return line(
        path,
        on,
        cond?.type,
        targets,
        list(actions).map(({ action }) => action.type),
      );
    });
  const { invoke, on = {}, after = {}, states = {} } = state;
  return [
    ...(path === '' ? [] : [`${path}: ${invoke?.src ?? ''} ${state.type ?? ''} ${state.initial ?? ''} ${list(state.tags).join()}`]),
    ...edges('done', invoke?.onDone),
    ...edges('error', invoke?.onError),
    ...Object.entries(on).flatMap(([event, found]) => edges(event, found)),
    ...Object.entries(after).flatMap(([delay, found]) => edges(`after ${delay}`, found)),
    ...edges('always', state.always),
    ...edges('state.done', state.onDone),
    ...Object.entries(states).flatMap(([key, child]) => linesOf(id, path === '' ? key : `${path}.${key}`, child)),
  ];
}

/** The same of a graph. */
const linesOfGraph = (graph: MachineGraph): readonly string[] =>
  graph.states.flatMap(({ path, kind, node = '', initial = '', outcome, edges }) => {
    const type = kind === 'final' || kind === 'parallel' ? kind : '';
    const tags = [...(kind === 'waiting' ? ['waiting'] : []), ...(outcome ? [outcome] : [])];
    const edgeLine = ({ on, guard, target, targets, actions }: GraphEdge): string =>
      line(path, on, guard, targets ?? (target === undefined ? [] : [target]), actions);
    return [`${path}: ${node} ${type} ${initial.split('.').at(-1)} ${tags.join()}`, ...edges.map(edgeLine)];
  });

describe("Stately's reader", () => {
  const nothing = async () => ({});
  it.each([...drafts, ['nested and parallel', scenario({ a: nothing, left: nothing, right: nothing, c: nothing })] as const])(
    'reads every state, edge, guard and action: %s',
    (_, { machine }) => {
      const graph = toGraph(machine);
      const config = extractor.extractMachinesFromFile(toXStateSource(graph))?.machines[0]?.toConfig();
      expect([config?.id, config?.initial]).toEqual([graph.id, graph.initial]);
      expect(config ? [...linesOf(graph.id, '', config)].sort() : undefined).toEqual([...linesOfGraph(graph)].sort());
    },
  );
});
