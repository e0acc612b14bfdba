import { fromErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { StepOptions } from '../../core/ports/node-io.ts';
import type { LifecycleEvent, StreamEvent } from '../../core/ports/run-event.ts';
import type { Taint } from '../../core/ports/taint.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import type { Stop } from '../../core/util/stop.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { drive } from '../drive/driver.ts';
import type { Host, Outcome, Wait } from '../drive/host.ts';
import { replayStep } from '../journal/step-record.ts';
import type { RecordedAct, RunRecording } from './run-recording.ts';

/** Result of a replay. */
export interface ReplayEnd {
  /** `open`: the recording ends before the machine reaches a final state. */
  readonly status: 'done' | 'failed' | 'open';
  /** Edges taken, as `from -> to`. */
  readonly path: readonly string[];
  /** Set when `status` is `done`. */
  readonly finalState?: string;
  readonly output?: Json;
  /** Code of the error of a run that failed or reached a final state tagged `failure`. */
  readonly error?: string;
}

/**
 * Replays a recorded run on a workflow. Its machine decides again and its nodes run again. Results of models, tools and humans come from
 * the recording. The replay makes no other calls and stores nothing. The clock stands still between two acts.
 *
 * @throws {Error} when the workflow diverges from the recording: it makes a step that the run has not made, or waits for something else.
 * @example expect(await replayRun(planExecute(), recording)).toEqual({ status: 'done', finalState: 'done', path: […], output: … });
 */
export async function replayRun(workflow: AnyWorkflow, recording: RunRecording): Promise<ReplayEnd> {
  const host = new RecordingHost(recording);
  const { runId, startedAt, input, grantEgress = false } = recording;
  const thread = recording.thread ?? workflow.thread?.initial ?? null;
  try {
    const start = { runId, startedAt, thread, grantEgress };
    const { finalState, output, failure } = await drive(workflow, workflow.toMachineInput(input, start), host);
    host.checkUsedUp();
    return { status: 'done', path: host.path, finalState, output, ...(failure ? { error: failure.code } : {}) };
  } catch (cause) {
    if (host.isOver(cause)) return { status: 'open', path: host.path };
    if (host.drift || !WorkflowError.isInstance(cause)) throw host.drift ?? cause;
    host.checkUsedUp();
    return { status: 'failed', path: host.path, error: cause.code };
  }
}

/** Recorded outcome of a node or an event, as this package has written it. */
interface RecordedOutcome {
  readonly output?: JsonObject;
  readonly error?: ErrorInfo;
  readonly taint?: Taint;
  readonly event?: HumanEvent;
}

class RecordingHost implements Host {
  readonly runId: string;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly path: string[] = [];
  /** Error that describes where the workflow diverged from the recording. */
  drift: Error | undefined;
  readonly #recording: RunRecording;
  readonly #acts: Map<string, { readonly act: RecordedAct; readonly place: number }>;
  /** True when nodes run again, including those of workflows inside nodes. */
  readonly #reruns: boolean;
  readonly #waits = new Map<string, Wait>();
  readonly #over = new Error('The recording ends here.');

  constructor(recording: RunRecording) {
    const { runId, startedAt, acts } = recording;
    this.#recording = deepFreeze(recording);
    this.#reruns = acts.some(({ kind, outcome }) => kind === 'node' && outcome === undefined);
    this.#acts = new Map(acts.map((act, place) => [act.key, { act, place }]));
    this.runId = runId;
    this.startedAt = startedAt;
    this.clock = { now: () => startedAt, monotonic: () => 0, schedule: () => () => {} };
  }

  step(key: string, work: () => Promise<Outcome>, _stop: Stop, nested: boolean): Promise<Outcome> {
    const act = this.#acts.get(key)?.act;
    const runs = act ? act.outcome === undefined : nested && this.#reruns;
    return runs ? work() : never(); // a node that the run left before its end never settles
  }

  async memo<T>(node: string, step: string, _work: unknown, _stop: Stop, { fromHuman }: StepOptions): Promise<T> {
    const key = `${node}/${step}`;
    const { steps } = this.#recording;
    const outcome = Object.hasOwn(steps, key) ? steps[key] : undefined;
    if (outcome !== undefined) return replayStep(outcome, fromHuman) as T;
    const error = this.#acts.get(node)?.act.error;
    if (error) throw fromErrorInfo(error);
    throw this.#diverge(`It requests the step "${key}", which the run does not have.`);
  }

  recorded(node: string): readonly string[] {
    const prefix = `${node}/`;
    return Object.keys(this.#recording.steps).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }

  waitEvent(key: string, wait: Wait): Promise<Outcome> {
    this.#waits.set(key, wait);
    return never();
  }

  sleep(): Promise<Outcome> {
    return never();
  }

  async next(pending: ReadonlyMap<string, Promise<Outcome>>): Promise<readonly [key: string, outcome: Outcome]> {
    if (this.drift) throw this.drift;
    const [first] = [...pending.keys()].flatMap((key) => this.#acts.get(key) ?? []).sort((a, b) => a.place - b.place);
    if (!first) throw this.#acts.size === 0 ? this.#over : this.#diverge(`It waits for ${[...pending.keys()].join(', ')}.`);
    const { key } = first.act;
    const outcome = await this.#outcomeOf(first.act, pending.get(key) ?? never());
    this.#acts.delete(key);
    if (this.drift) throw this.drift;
    return [key, outcome];
  }

  emit(event: StreamEvent | LifecycleEvent, node?: string): void {
    if (event.type === 'edge' && node === undefined) this.path.push(`${event.from} -> ${event.to}`);
  }

  attempt(): number {
    return 1;
  }

  isOver(cause: unknown): boolean {
    return cause === this.#over;
  }

  checkUsedUp(): void {
    if (this.#acts.size > 0) throw this.#diverge('It ends.');
  }

  #outcomeOf({ key, kind, outcome }: RecordedAct, live: Promise<Outcome>): Promise<Outcome> | Outcome {
    if (outcome === undefined) return live;
    if (kind === 'timer') return { fired: true };
    const { event, error, taint, output = {} } = outcome as RecordedOutcome;
    if (!event) return error ? { error, ...(taint ? { taint } : {}) } : { output };
    try {
      return { event: this.#waits.get(key)?.check(event) ?? event };
    } catch (cause) {
      throw this.#diverge(`It rejects the event ${event.type} at "${key}".`, cause);
    }
  }

  #diverge(what: string, cause?: unknown): Error {
    const [left] = this.#acts.keys();
    const then = left === undefined ? 'the recording ends' : `the recording continues with "${left}"`;
    this.drift ??= new Error(`The workflow diverges from the run ${this.runId}: ${what.replace(/\.$/, '')}, but ${then}.`, { cause });
    return this.drift;
  }
}

const never = (): Promise<never> => new Promise(() => {});
