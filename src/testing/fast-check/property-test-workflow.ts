import fc from 'fast-check';
import { messageOf } from '../../core/errors/message-of.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { AnyWorkflow, Workflow } from '../../engine/define/define-workflow.ts';
import { toGraph } from '../../engine/define/graph.ts';
import { xstateStepper } from '../../engine/drive/xstate-stepper.ts';
import { edgeCoverage } from '../edge-coverage.ts';
import { describeCounterexample, toCounterexample } from '../explore/counterexample.ts';
import type { Exploration } from '../explore/exploration.ts';
import type { Invariant } from '../explore/invariant.ts';
import { everyEdgeOf } from '../explore/starts.ts';
import { type TapeOptions, tapesOf } from './arbitrary-tape.ts';
import { playTape } from './play-tape.ts';
import type { Tape } from './tape.ts';
import { tapePath } from './tape-path.ts';
import { tapedWorkflow } from './taped-workflow.ts';
import { walkOf } from './walk.ts';

/** A run that was played from a tape. */
export interface TapedRun<TState> {
  readonly tape: Tape;
  /** Events, as in any run. */
  readonly events: readonly RunEvent[];
  /** Path of the run as an exploration that contains no other path, with the state at each place. */
  readonly path: Exploration<TState>;
}

export interface PropertyTestOptions<TInput, TState> extends TapeOptions<TInput, TState> {
  /**
   * Invariants of every run, made by `always`, `never`, `until` and `eventually` as for `exploreMachine`. `canReach` does not apply,
   * because it asks for other paths. @default []
   */
  readonly invariants?: readonly Invariant<TState>[];
  /** Called for each run; throws if the run is wrong. */
  readonly check?: (run: TapedRun<TState>) => unknown;
  /** @default 100 */
  readonly numRuns?: number;
  /** Seed of an earlier failure. Default: a new one each time. */
  readonly seed?: number;
  /** Shrink path of an earlier failure. */
  readonly path?: string;
}

export interface PropertyTestReport {
  readonly runs: number;
  /** Number of runs that reached a final state within `maxActs`. */
  readonly ended: number;
  /** Edges that no run has taken, in the format of `edgeCoverage`. */
  readonly missingEdges: readonly string[];
}

/**
 * Plays random tapes in real runs with journal, leases, interrupts and timers. Nodes return the outcomes on the tape, and the clock is
 * stopped. After each act the run is compared with the machine alone, moved by XState's own pure functions. The end of each run is checked
 * against the invariants.
 *
 * @throws {Error} for the first failed run: a shortest tape with the same failure, step by step, and the seed to reproduce it.
 * `OPTION_INVALID` if no run can begin without `input`.
 * @example
 * const { missingEdges } = await propertyTestWorkflow(workflow, {
 *   invariants: [until('nothing is published unasked', ({ isIn }) => !isIn('publish'), ({ took }) => took('review', 'APPROVE'))],
 * });
 */
export async function propertyTestWorkflow<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  options: PropertyTestOptions<TInput, TState> = {},
): Promise<PropertyTestReport> {
  const { invariants = [], check, numRuns = 100, seed, path } = options;
  const taped = tapedWorkflow(workflow as AnyWorkflow);
  const walk = walkOf(taped.workflow, xstateStepper(taped.workflow.machine));
  const graph = toGraph(workflow.machine);
  const coverage = edgeCoverage(graph);
  const edgeWalk = walkOf(taped.workflow, everyEdgeOf(taped.workflow));
  const pathOf = (tape: Tape): Exploration<TState> => tapePath(edgeWalk, taped.workflow, graph, tape) as Exploration<TState>;
  let [runs, ended] = [0, 0];
  const tapes = tapesOf(taped.workflow, options as TapeOptions, xstateStepper(taped.workflow.machine));
  const property = fc.asyncProperty(tapes, async (tape) => {
    const events = await playTape(taped, walk, tape);
    runs++;
    if (events.some(({ type }) => type === 'run-end')) ended++;
    const way = pathOf(tape);
    // a run's events do not include edges without an event
    coverage.add(way.edgesTaken.map((edge) => ({ type: 'edge', ...edge, to: '', seq: 0, at: 0 })));
    for (const invariant of invariants) {
      const verdict = invariant.check(way);
      if (verdict.verdict === 'broken') throw new Error(`"${invariant.name}" is broken. ${verdict.why}`);
    }
    await check?.({ tape, events, path: way });
  });
  const details = await fc.check(property, { numRuns, ...(seed === undefined ? {} : { seed }), ...(path === undefined ? {} : { path }) });
  if (!details.failed) return { runs, ended, missingEdges: coverage.missing() };
  throw failureOf(workflow.id, details, (tape) => describe(tapePath(edgeWalk, taped.workflow, graph, tape)));
}

const describe = (path: Exploration<unknown>): readonly string[] => {
  const [start] = path.states;
  return start ? describeCounterexample(toCounterexample(start, path.moves)) : [];
};

type FailedDetails = Extract<Awaited<fc.RunDetails<[Tape]>>, { readonly failed: true }>;

/** Describes the failure, the shortest tape, and how to reproduce it. */
function failureOf(id: string, details: FailedDetails, linesOf: (tape: Tape) => readonly string[]): Error {
  const { counterexample, counterexamplePath, seed, numShrinks, numRuns, errorInstance } = details;
  const [tape] = counterexample ?? [];
  const cause = messageOf(errorInstance);
  const lines = [
    `The workflow "${id}": ${cause}`,
    ...(tape
      ? [`input: ${JSON.stringify(tape.input ?? null)}`, ...linesOf(tape).map((line, index) => (index === 0 ? line : `${index}. ${line}`))]
      : []),
    `Found in run ${numRuns}, shrunk ${numShrinks} times. Reproduce it with { seed: ${seed}, path: '${counterexamplePath}' }`,
  ];
  return new Error(lines.join('\n  '), { cause: errorInstance });
}
