import type { EventObject, MachineContext } from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { marksOf, patchOf } from '../../engine/define/node.ts';
import type { Outcome } from '../../engine/drive/host.ts';
import type { Command, Move, Position, Stepper, TakenEdge } from '../../engine/drive/stepper.ts';
import { toMachineEvent } from '../../engine/drive/to-machine-event.ts';
import type { ExploredFailure, ExploredMove, ExploredState } from './exploration.ts';
import { nameOfOutcome, type OutcomeClass } from './outcome-class.ts';

type InProgress = Exclude<Command, { readonly type: 'stop' }>;

interface Place {
  readonly explored: ExploredState;
  readonly position: Position;
  readonly inProgress: readonly InProgress[];
}

export interface SearchOptions {
  readonly stepper: Stepper;
  readonly starts: readonly Move[];
  readonly maxStates: number;
  keyOf(state: MachineContext): string;
  /** Returns the outcomes of the node or the wait of a state. */
  outcomesOf(path: string, kind: 'node' | 'wait', position: Position): readonly OutcomeClass[];
  /** True for proposed outcomes, which the state's schema may reject. A rejected given outcome is an error. */
  isProposed(path: string): boolean;
  /** Receives each event before it moves the machine. */
  onEvent(position: Position, event: EventObject): void;
  /** True to end the search. */
  isOver(): boolean;
}

export interface SearchResult {
  readonly states: readonly ExploredState[];
  readonly moves: readonly ExploredMove[];
  readonly failures: readonly ExploredFailure[];
  /** Edges of the start, before any outcome. */
  readonly startEdges: readonly TakenEdge[];
  /** True if there are more places than `maxStates`. */
  readonly cut: boolean;
}

/** Explores all places, nearest first. */
export function search(options: SearchOptions): SearchResult {
  const searching = new Search(options);
  for (const start of options.starts) searching.arrive(start, []);
  searching.run();
  return searching;
}

class Search implements SearchResult {
  readonly #options: SearchOptions;
  readonly #places: Place[] = [];
  readonly #known = new Map<string, ExploredState>();
  /** Known moves from the current place. */
  readonly #ways = new Set<string>();
  readonly #patches = new WeakMap<OutcomeClass, JsonObject>();
  readonly states: ExploredState[] = [];
  readonly moves: ExploredMove[] = [];
  readonly failures: ExploredFailure[] = [];
  readonly startEdges: TakenEdge[] = [];
  cut = false;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  run(): void {
    // a list's iteration also visits items that are added during it
    for (const place of this.#places) {
      if (this.#options.isOver()) return;
      this.#ways.clear();
      if (!place.position.done) this.#leave(place);
    }
  }

  #leave(place: Place): void {
    const { inProgress, position } = place;
    for (const live of inProgress) {
      if (live.type === 'delay') this.#end(place, live, { type: 'timer' });
      else for (const outcome of this.#options.outcomesOf(live.path, 'node', position)) this.#end(place, live, outcome);
    }
    for (const { path, accepts } of position.waits) {
      for (const outcome of this.#options.outcomesOf(path, 'wait', position)) {
        if ('event' in outcome && accepts.includes(outcome.event.type)) this.#answer(place, path, outcome);
      }
    }
  }

  #end(place: Place, live: InProgress, outcome: OutcomeClass | { readonly type: 'timer' }): void {
    const rest = place.inProgress.filter((other) => other !== live);
    if ('type' in outcome) {
      const at = live.type === 'delay' ? live.name.lastIndexOf(' after ') : 0;
      const name = live.type === 'delay' ? live.name : '';
      const way = { by: name.slice(0, at), kind: 'timer' as const, outcome: name.slice(at + 1) };
      if (live.type === 'delay') this.#move(place, { ...live.event }, rest, way);
      return;
    }
    if (live.type === 'delay') return;
    const result = this.#resultOf(live, outcome);
    if (!result) return;
    const event = toMachineEvent({ id: live.id, kind: 'node' }, result);
    this.#move(place, event, rest, { by: live.path, kind: 'node', outcome: nameOfOutcome(outcome), ...callsOf(outcome) });
  }

  #answer(place: Place, path: string, outcome: Extract<OutcomeClass, { readonly event: object }>): void {
    let parsed: EventObject;
    try {
      parsed = this.#options.stepper.parse({ ...outcome.event });
    } catch (thrown) {
      if (!this.#options.isProposed(path)) throw refused(path, thrown);
      return;
    }
    this.#move(place, { ...parsed }, place.inProgress, { by: path, kind: 'wait', outcome: nameOfOutcome(outcome), ...callsOf(outcome) });
  }

  #resultOf(live: Extract<InProgress, { readonly type: 'start' }>, outcome: OutcomeClass): Outcome | undefined {
    if ('error' in outcome) return { error: errorOf(outcome.error) };
    if (!('patch' in outcome)) return undefined;
    try {
      const known = this.#patches.get(outcome);
      if (known) return { output: known };
      const output = deepFreeze(patchOf(live.handler, outcome.patch, live.state));
      if (!marksOf(live.handler).readPatch) this.#patches.set(outcome, output); // a schema also reads the state
      return { output };
    } catch (thrown) {
      if (!this.#options.isProposed(live.path)) throw refused(live.path, thrown);
      return undefined;
    }
  }

  #move(place: Place, event: EventObject, rest: readonly InProgress[], way: MoveLabel): void {
    const { stepper, onEvent } = this.#options;
    onEvent(place.position, event);
    const fail = (thrown: unknown): void => {
      this.failures.push({ from: place.explored, by: way.by, outcome: way.outcome, error: toErrorInfo(thrown) });
    };
    let next: Move | undefined;
    try {
      next = stepper.move(place.position, event);
    } catch (thrown) {
      fail(thrown);
      return;
    }
    if (next) this.arrive(next, rest, { place, way, fail });
    else if (way.kind !== 'wait') fail(noEdge(`"${place.position.where}" has no edge for ${way.outcome} of "${way.by}"`));
  }

  /** Records a place, and the move that led there. */
  arrive({ position, commands, edges }: Move, rest: readonly InProgress[], arrival?: Arrival): void {
    const { maxStates, keyOf } = this.#options;
    const inProgress = follow(rest, commands);
    Object.freeze(position.state);
    if (!position.done && inProgress.length === 0 && position.waits.length === 0) {
      arrival?.fail(noEdge(`Nothing is in progress in "${position.where}"`));
    }
    const key = `${position.where} ${inProgress.map(({ id }) => id).sort()} ${keyOf(position.state)}`;
    let to = this.#known.get(key);
    if (!to) {
      if (this.states.length >= maxStates) {
        this.cut = true;
        return;
      }
      to = toExplored(this.states.length, position, inProgress, arrival ? arrival.place.explored.depth + 1 : 0);
      this.#known.set(key, to);
      this.states.push(to);
      this.#places.push({ explored: to, position, inProgress });
    }
    if (!arrival) {
      this.startEdges.push(...edges);
      return;
    }
    const { by, kind, outcome, calls } = arrival.way;
    const stops = new Set(commands.flatMap((command) => (command.type === 'stop' ? [command.id] : [])));
    const stopped = rest.flatMap((live) => (live.type === 'start' && stops.has(live.id) ? [live.path] : []));
    const way = `${to.index} ${by} ${calls ? JSON.stringify(calls) : ''} ${edges.map(({ from, on, guard }) => `${from} ${on} ${guard}`).join()}`;
    if (this.#ways.has(way)) return;
    this.#ways.add(way);
    this.moves.push({
      from: arrival.place.explored,
      to,
      by,
      kind,
      outcome,
      ...(calls ? { calls } : {}),
      edges,
      stopped,
      state: position.state,
    });
  }
}

type MoveLabel = Pick<ExploredMove, 'by' | 'kind' | 'outcome' | 'calls'>;

interface Arrival {
  readonly place: Place;
  readonly way: MoveLabel;
  fail(thrown: unknown): void;
}

function toExplored(
  index: number,
  { where, state, done, waits }: Position,
  inProgress: readonly InProgress[],
  depth: number,
): ExploredState {
  const working = inProgress.flatMap((live) => (live.type === 'start' ? [live.path] : []));
  return { index, where, state, working, waiting: waits.map(({ path }) => path), done, depth };
}

function follow(inProgress: readonly InProgress[], commands: readonly Command[]): readonly InProgress[] {
  let now = [...inProgress];
  for (const command of commands) {
    if (command.type === 'stop') now = now.filter(({ id }) => id !== command.id);
    else now.push(command);
  }
  return now;
}

const callsOf = ({ calls }: OutcomeClass): Pick<MoveLabel, 'calls'> => (calls ? { calls } : {});

const errorOf = (error: string | Partial<ErrorInfo>): ErrorInfo => ({
  name: 'Error',
  code: 'NODE_FAILED',
  message: 'The node has failed.',
  retryable: false,
  ...(typeof error === 'string' ? { code: error } : error),
});

const refused = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `A given outcome of "${path}" is invalid: ${toErrorInfo(cause).message}`,
    hint: 'Give values that the node can return or the event can carry.',
    cause,
  });

const noEdge = (what: string): WorkflowError =>
  new WorkflowError({ code: 'NO_EDGE', message: `${what}.`, hint: 'Add an edge without a guard to the state.' });
