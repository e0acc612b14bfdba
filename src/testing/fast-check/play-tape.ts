import type { RunEvent } from '../../core/ports/run-event.ts';
import { toJson } from '../../core/util/to-json.ts';
import { createRuntime } from '../../engine/run/create-runtime.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import { memoryStore } from '../../engine/store/memory-store.ts';
import { checkSame } from '../check.ts';
import { type FakeClock, fakeClock, settled } from '../fake-clock.ts';
import type { Tape, TapeAct } from './tape.ts';
import type { TapedNodes, TapedWorkflow } from './taped-workflow.ts';
import { givenOf, tapedRunId, tapedStartMs, type Walk, type WalkPosition } from './walk.ts';

/** Number of event loop turns to wait; more than any move of a run takes. */
const maxTurns = 60;

/**
 * Plays a tape in a real run, with a journal and a stopped clock. After each act, compares the run with the machine alone: running nodes,
 * edges, states and the end must be equal.
 *
 * @returns the run's events.
 * @throws {Error} at the first difference.
 */
export async function playTape(taped: TapedWorkflow, walk: Walk, { input, acts }: Tape): Promise<readonly RunEvent[]> {
  const clock = fakeClock(tapedStartMs);
  const runtime = createRuntime({ store: memoryStore(), clock, workflows: [taped.workflow], limits });
  const run = new PlayedRun(runtime, clock, taped.nextRun());
  try {
    let at = walk.begin(input);
    runtime.start(taped.workflow, input, { runId: tapedRunId, threadId: tapedRunId });
    const seen = new Expectation(at);
    await run.settle(seen, 'the start');
    for (const act of acts) {
      const next = walk.act(at, act);
      if (!next) throw new Error(`${JSON.stringify(act)} is impossible in "${at.position.where}".`);
      await run.act(act, next.now - at.now);
      at = next;
      seen.add(at);
      await run.settle(seen, JSON.stringify(act));
    }
    return run.events;
  } finally {
    await runtime.close();
  }
}

const limits = { nodeVisits: 100_000, wallTimeMs: Number.POSITIVE_INFINITY };

class Expectation {
  readonly edges: object[] = [];
  readonly starts: (readonly [string, object])[] = [];
  at: WalkPosition;

  constructor(at: WalkPosition) {
    this.at = at;
    this.#note(at);
  }

  add(at: WalkPosition): void {
    this.at = at;
    this.#note(at);
  }

  #note({ move, position }: WalkPosition): void {
    for (const edge of move.edges) this.edges.push({ ...edge, to: position.where });
    for (const command of move.commands) if (command.type === 'start') this.starts.push(givenOf(command));
  }
}

class PlayedRun {
  readonly #runtime: Runtime;
  readonly #clock: FakeClock;
  readonly #nodes: TapedNodes;
  readonly #events = new Map<number, RunEvent>();
  #listening = false;

  constructor(runtime: Runtime, clock: FakeClock, nodes: TapedNodes) {
    this.#runtime = runtime;
    this.#clock = clock;
    this.#nodes = nodes;
  }

  get events(): readonly RunEvent[] {
    return [...this.#events.values()];
  }

  async act(act: TapeAct, passedMs: number): Promise<void> {
    if ('node' in act) this.#nodes.end(act.node, act);
    else if ('timer' in act) {
      await this.#clock.advance(passedMs);
      const { result, wakeAt = Number.POSITIVE_INFINITY } = await this.#runtime.get(tapedRunId);
      if (result?.status === 'waiting' && wakeAt <= this.#clock.now()) await this.#runtime.resume(tapedRunId);
    } else {
      const asked = this.events.flatMap((event) => (event.type === 'interrupt' ? [event.interrupt] : []));
      const interruptId = asked.findLast(({ accepts }) => accepts.includes(act.event.type))?.id;
      if (interruptId === undefined) throw new Error(`No question accepts ${act.event.type}.`);
      await this.#runtime.send(tapedRunId, act.event, { interruptId });
    }
  }

  /** Waits until the run has caught up with the machine, or has clearly stopped short of it. */
  async settle({ edges, starts, at }: Expectation, after: string): Promise<void> {
    const working = at.working.map(({ path }) => path).sort();
    const taken = () => this.events.flatMap((event) => (event.type === 'edge' ? [toEdge(event)] : []));
    const isThere = async (): Promise<boolean> => {
      if (taken().length < edges.length || this.#nodes.working().join() !== working.join()) return false;
      return !at.position.done || (await this.#runtime.get(tapedRunId)).result !== undefined;
    };
    await settled();
    for (let turns = 0; turns < maxTurns; turns++) {
      void this.#listen();
      if (await isThere()) break;
      await settled();
    }
    checkSame(taken(), edges, `the run's path after ${after}`);
    checkSame(this.#nodes.working(), working, `the running nodes after ${after}`);
    checkSame(this.#nodes.starts, starts, `the nodes' inputs after ${after}`);
    const { result } = await this.#runtime.get(tapedRunId);
    if (!at.position.done) {
      if (result?.status === 'failed') throw new Error(`After ${after}, the run has failed: ${result.error.message}`);
      return;
    }
    const { where, output, state } = at.position;
    const end = { finalState: where, output: toJson(output ?? null, 'output') };
    const found = result && 'finalState' in result ? { finalState: result.finalState, output: result.output } : result;
    checkSame(found, end, 'the end of the run');
    checkSame(this.#nodes.last, state, 'the last state of the run');
  }

  /** Collects events until the run is suspended. */
  async #listen(): Promise<void> {
    if (this.#listening) return;
    this.#listening = true;
    try {
      for await (const event of this.#runtime.events(tapedRunId, { from: this.#events.size + 1 })) this.#events.set(event.seq, event);
    } finally {
      this.#listening = false;
    }
  }
}

const toEdge = ({ from, to, on, guard }: Extract<RunEvent, { readonly type: 'edge' }>): object => ({
  from,
  to,
  on,
  ...(guard === undefined ? {} : { guard }),
});
