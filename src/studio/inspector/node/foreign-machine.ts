import { type AnyStateMachine, createMachine, type StateValue } from 'xstate';
import type { Json, JsonObject } from '../../../core/ports/json.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { type MachineGraph, toGraph, visitStates } from '../../../engine/define/graph.ts';
import { nodeLogic } from '../../../engine/define/node.ts';
import { PlacedStart } from '../../../engine/drive/migrated.ts';
import { statePath } from '../../../engine/drive/state-path.ts';
import type { Move, Position } from '../../../engine/drive/stepper.ts';
import { xstateStepper } from '../../../engine/drive/xstate-stepper.ts';
import type { TakenEdge } from '../../../inspect/drawing/drawn-path.ts';
import { foreignConfig } from './foreign-config.ts';
import { inReadingOrder } from './reading-order.ts';

/** Maximum number of combinations of guard results to try for one event. */
const maxTries = 256;

/** Machine of another app, rebuilt from its definition, whose guards and actions are names only. */
export interface ForeignMachine {
  readonly graph: MachineGraph;
  /** TypeScript source of the machine. */
  readonly source: string;
  /**
   * Finds the edges that led to a state value, eventless ones included. Tries all results of the guards. If several ways lead there, returns
   * only the edges that all of them have. Returns none if there are more than 256 results to try, or if a raised event is involved, because
   * definitions do not contain those.
   *
   * @param event Event of the snapshot: `xstate.init` for the first one.
   */
  follow(event: Json, value: Json): readonly TakenEdge[];
}

/** Rebuilds a machine. Returns `undefined` if the definition is invalid, cut off, or has no states. */
export function foreignMachine(definition: Json | undefined): ForeignMachine | undefined {
  const given = isObject(definition) ? definition : parse(definition);
  if (!given || !isObject(given.states)) return undefined;
  try {
    const config = foreignConfig(given);
    const { options: _, ...shown } = config;
    const graph = toGraph(toMachine(config));
    return {
      graph: isSorted(given) ? inReadingOrder(graph) : graph,
      source: `import { createMachine } from "xstate";\n\nexport const machine = createMachine(${JSON.stringify(shown, null, 2)});\n`,
      follow: follower(given, graph),
    };
  } catch {
    return undefined; // XState throws for an invalid config of the app
  }
}

/** True if the order of declaration is lost, because the sender has sorted all states by name. */
function isSorted({ states }: JsonObject): boolean {
  if (!isObject(states)) return true;
  const names = Object.keys(states);
  return (
    names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name) &&
    Object.values(states).every((state) => !isObject(state) || isSorted(state))
  );
}

const toMachine = (config: JsonObject): AnyStateMachine => createMachine(config as Parameters<typeof createMachine>[0]);

function parse(text: Json | undefined): JsonObject | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Ways to a state value. */
interface Ways {
  readonly position: Position | undefined;
  /** Edges that all ways have; none if not all ways were tried. */
  readonly edges: readonly TakenEdge[];
}

function follower(definition: JsonObject, graph: MachineGraph): ForeignMachine['follow'] {
  const guards: string[] = [];
  const plain = toMachine(foreignConfig(definition, guards));
  const results = createResults();
  const machine = plain.provide({ ...stubsOf(plain), guards: Object.fromEntries(guards.map((_, index) => [index, results.next])) });
  const stepper = xstateStepper(machine, { everyEdge: true });
  const named = namesOf(toGraph(machine), graph);
  let at: Position | undefined;

  const waysTo = (value: StateValue, move: () => Move | undefined): Ways => {
    const wanted = sorted(statePath(value));
    let position: Position | undefined;
    let edges: readonly TakenEdge[] | undefined;
    let triedAll = false;
    for (let tries = 0; tries < maxTries && !triedAll && edges?.length !== 0; tries++) {
      const moved = attempt(() => results.record(move));
      const reached = moved?.position ?? at;
      if (reached && sorted(reached.where) === wanted) {
        const way = (moved?.edges ?? []).flatMap(named);
        edges = edges ? edges.filter((edge) => way.some((other) => isSame(edge, other))) : way;
        position ??= reached;
      }
      triedAll = !results.advance();
    }
    results.reset();
    return { position, edges: triedAll ? (edges ?? []) : [] };
  };

  return (event, given) => {
    const value = given as StateValue;
    const from = at;
    const isFirst = typeOf(event) === 'xstate.init';
    const move = (): Move | undefined =>
      from && !isFirst ? stepper.move(from, { ...(isObject(event) ? event : {}), type: typeOf(event) }) : stepper.begin(undefined);
    const { position, edges } = from || isFirst ? waysTo(value, move) : { position: undefined, edges: [] };
    at = position ?? attempt(() => stepper.begin(new PlacedStart({ value, state: {}, visits: {}, timers: [] })).position);
    return edges;
  };
}

const stub = nodeLogic(async () => ({}));

/** Returns actors and delays for all names of a machine. None of them is ever started. */
function stubsOf(machine: AnyStateMachine): { readonly actors: Record<string, typeof stub>; readonly delays: Record<string, number> } {
  const [actors, delays]: [Record<string, typeof stub>, Record<string, number>] = [{}, {}];
  visitStates(machine, (state) => {
    for (const { src } of state.invoke) actors[String(src)] = stub;
    for (const { delay } of state.after) if (typeof delay === 'string') delays[delay] = 1;
  });
  return { actors, delays };
}

const typeOf = (event: Json): string => (isObject(event) && typeof event.type === 'string' ? event.type : '');

const sorted = (where: string): string => where.split('|').sort().join('|');

const isSame = (a: TakenEdge, b: TakenEdge): boolean => a.from === b.from && a.on === b.on && a.guard === b.guard && a.turn === b.turn;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined; // an endless loop, or a value that the machine does not have
  }
}

/** Returns a function that gives an edge with a numbered guard its name in the drawing, and its turn. */
function namesOf(numbered: MachineGraph, { states }: MachineGraph): (edge: TakenEdge) => readonly TakenEdge[] {
  const edges = numbered.states.flatMap((state, index) =>
    state.edges.map(({ on, guard }, at): readonly [string, TakenEdge] => {
      const own = states[index]?.edges ?? [];
      const name = own[at]?.guard;
      const turn = own.slice(0, at).filter((other) => other.on === on).length;
      return [keyOf({ from: state.path, on, guard }), { from: state.path, on, turn, ...(name === undefined ? {} : { guard: name }) }];
    }),
  );
  const known = new Map(edges.reverse()); // of edges without a guard, only the first can be taken
  return ({ from, on, guard }) => {
    const edge = known.get(keyOf({ from, on, guard }));
    return edge ? [edge] : [];
  };
}

const keyOf = ({ from, on, guard }: { readonly from: string; readonly on: string; readonly guard: string | undefined }): string =>
  JSON.stringify([from, on, guard]);

interface GuardResults {
  /** Result of the guard that is asked next. */
  readonly next: () => boolean;
  /** Runs a move from its first guard on. */
  record<T>(move: () => T): T;
  /** Goes on to the next combination. Returns false if there is none. */
  advance(): boolean;
  reset(): void;
}

/** Enumerates the combinations of guard results, depth first, from all true to all false. */
function createResults(): GuardResults {
  let results: boolean[] = [];
  let asked = 0;
  return {
    next: () => {
      results[asked] ??= true;
      return results[asked++] === true;
    },
    record(move) {
      asked = 0;
      return move();
    },
    advance() {
      results.length = Math.min(results.length, asked);
      while (results.at(-1) === false) results.pop();
      if (results.length === 0) return false;
      results[results.length - 1] = false;
      return true;
    },
    reset() {
      results = [];
      asked = 0;
    },
  };
}
