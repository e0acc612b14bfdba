import { createHash } from 'node:crypto';
import {
  createRuntime,
  createWorker,
  type HumanEvent,
  memoryStore,
  type RunInfo,
  type RunStatus,
  type RunStore,
  type Runtime,
  type Worker,
} from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { keyed, paying } from '../fixtures/faulty-workflow.ts';
import { checkHistory, endsOf, type Note, recordedStore } from '../fixtures/history.ts';
import { seeded } from '../fixtures/seeded.ts';
import { type VirtualProcess, VirtualWorld } from './virtual-world.ts';

const ended: ReadonlySet<RunStatus> = new Set<RunStatus>(['done', 'cancelled', 'failed']);

export interface SimulationOptions {
  readonly seed: number;
  /** A fault that is planted in the database. @default none */
  readonly plant?: (store: RunStore) => RunStore;
  /** Where SQLite keeps the runs, each process with a store of its own: a file that is not there yet. @default one store in memory */
  readonly path?: string;
  /**
   * How long everything may take to its end, once nothing fails any more, in milliseconds: by default until a timer is due that was set by a
   * clock an hour ahead.
   */
  readonly calmMs?: number;
}

export interface SimulationReport {
  readonly seed: number;
  readonly violations: readonly string[];
  /** What happened, in numbers. */
  readonly seen: Readonly<Record<'events' | 'runs' | 'kills' | 'freezes' | 'leaves' | 'pauses' | 'doubts' | 'answers' | 'effects', number>>;
  /** The same for the same seed. */
  readonly digest: string;
}

const leaseMs = 3_000;
const faultyMs = 25_000;
const usualCalmMs = 4_500_000;

/** A process with a worker, at which clients ask as well. */
interface Host extends VirtualProcess {
  readonly runtime: Runtime;
  readonly worker: Worker;
  /** It was told to end, and takes nothing more. */
  isLeaving: boolean;
}

/**
 * Some processes on one store, and clients that start, answer, settle and cancel, while processes die, stand still and lose their calls;
 * then all is well, and everything has to come to its end. One seed decides everything.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  return new Simulation(options).run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #world: VirtualWorld;
  readonly #stores: RunStore[] = [];
  readonly #notes: Note[] = [];
  readonly #hosts: Host[] = [];
  readonly #runIds: string[] = [];
  readonly #ended = new Set<string>();
  readonly #seen = { kills: 0, freezes: 0, leaves: 0, pauses: 0, doubts: 0 };

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#world = new VirtualWorld(seeded(options.seed));
  }

  /** The store of a process. */
  #open(): RunStore {
    const { plant = (store: RunStore) => store, path } = this.#options;
    const [first] = this.#stores;
    if (first && path === undefined) return first;
    const store = plant(path === undefined ? memoryStore() : sqliteStore({ path, durability: 'normal' }));
    this.#stores.push(store);
    return store;
  }

  async run(): Promise<SimulationReport> {
    const world = this.#world;
    const { seed, calmMs = usualCalmMs } = this.#options;
    for (let count = world.between(2, 5); count > 0; count--) this.#newHost();
    this.#planStarts();
    this.#planTrouble();
    await world.pass(faultyMs);
    world.isCalm = true;
    for (const host of this.#hosts) host.isDead = true;
    this.#newHost();
    await world.pass(faultyMs + 10_000); // what is still on its way has arrived
    const store = this.#open();
    await this.#forgetUnmade(store);
    await world.pass(faultyMs + calmMs, () => this.#runIds.every((id) => this.#ended.has(id)));
    const ends = await endsOf(store, this.#notes);
    for (const one of this.#stores) await one.close();
    const stuck = ends
      .filter(({ record }) => !ended.has(record.status))
      .map(({ record }) => `${record.id} never ends: it is ${record.status}`);
    const { happened: events } = world;
    const counted = (op: Note['op']): number => this.#notes.filter((note) => note.op === op).length;
    return {
      seed,
      violations: [...checkHistory(this.#notes, ends), ...stuck],
      seen: { ...this.#seen, events, runs: ends.length, answers: counted('answer'), effects: counted('effect') },
      digest: createHash('sha256').update(JSON.stringify(this.#notes).replace(ownerIds, '')).digest('hex').slice(0, 16),
    };
  }

  #newHost(): void {
    const world = this.#world;
    const process = world.process(`p${this.#hosts.length}`);
    const note = (made: Note): void => {
      if (!process.isDead) this.#notes.push(made);
    };
    const nodes = {
      by: process.name,
      note,
      before: async () => {
        await world.sleep(world.between(1, world.chance(0.1) ? 5_000 : 300), process);
        if (!world.isCalm && world.chance(0.02)) throw new Error('The world says no.');
      },
      after: () => world.sleep(world.between(1, 200), process),
    };
    const store = recordedStore(world.storeOf(process, this.#open()), { by: process.name, note });
    const given = { store, workflows: [keyed(nodes), paying(nodes)], clock: process.clock, leaseMs };
    const runtime = createRuntime(given);
    const worker = createWorker({ ...given, runtime, pollMs: 700, concurrency: world.between(1, 9), drainMs: world.between(0, 2_000) });
    this.#hosts.push(Object.assign(process, { runtime, worker, isLeaving: false }));
  }

  /** Those that a client can ask. */
  get #live(): readonly Host[] {
    return this.#hosts.filter(({ isDead, isLeaving }) => !isDead && !isLeaving);
  }

  /** Ends a process as a deployment does: it hands over what it drives. What it waits for may be lost, as everything may. */
  async #leave(host: Host): Promise<void> {
    this.#seen.leaves++;
    host.isLeaving = true;
    try {
      await host.worker.close();
      await host.runtime.close();
    } finally {
      host.isDead = true;
    }
  }

  #planStarts(): void {
    const world = this.#world;
    for (let number = world.between(2, 9); number > 0; number--) {
      const runId = `r${number}`;
      const threadId = world.chance(0.6) ? `t${world.between(0, 2)}` : undefined;
      const ifBusy = world.pick(['reject', 'queue', 'queue', 'cancel-and-replace'] as const) ?? 'queue';
      const workflow = threadId === 't0' || world.chance(0.5) ? 'paying' : 'keyed';
      this.#runIds.push(runId);
      const start = (): void => {
        const more = threadId === undefined ? {} : { threadId: `${workflow}-${threadId}`, ifBusy };
        world.pick(this.#live)?.runtime.start(workflow, {}, { runId, ...more });
      };
      const at = world.between(0, faultyMs / 2);
      world.later(at, undefined, start);
      if (world.chance(0.3)) world.later(at + world.between(0, 500), undefined, start); // a client that tries again
      if (world.chance(0.15))
        world.later(at + world.between(0, faultyMs / 2), undefined, () => void this.#ask(({ runtime }) => runtime.cancel(runId)));
      if (world.chance(0.2))
        world.later(at + world.between(0, faultyMs / 2), undefined, () => void this.#ask((host) => this.#pause(host, runId)));
      this.#watch(runId);
    }
  }

  #planTrouble(): void {
    const world = this.#world;
    const often = (count: number, make: (host: Host) => void): void => {
      for (; count > 0; count--) {
        world.later(world.between(0, faultyMs), undefined, () => {
          const host = world.pick(this.#live);
          if (host) make(host);
        });
      }
    };
    often(world.between(0, 8), (host) => {
      this.#seen.kills++;
      host.isDead = true;
      world.later(world.between(0, 3_000), undefined, () => this.#newHost());
    });
    often(world.between(0, 4), (host) => {
      this.#seen.freezes++;
      host.frozenUntil = world.now + world.between(100, 4 * leaseMs);
    });
    often(world.between(0, 3), (host) => {
      void this.#leave(host);
      world.later(world.between(0, 3_000), undefined, () => this.#newHost());
    });
    often(world.between(0, 3), (host) => {
      host.wallOffsetMs += world.between(-3_600_000, 3_600_000);
    });
  }

  /** Looks at a run now and then, and says what it waits for; some are looked at by two. */
  #watch(runId: string): void {
    const world = this.#world;
    const people = world.chance(0.4) ? 2 : 1;
    const look = (person: number): void => {
      if (this.#ended.has(runId)) return;
      void this.#ask((host) => this.#say(host, runId, person));
      world.later(world.between(200, 2_000), undefined, () => look(person));
    };
    for (let person = 0; person < people; person++) world.later(world.between(0, 2_000), undefined, () => look(person));
  }

  /** What a client asks of any process; what is refused is asked again by the next look. */
  async #ask(work: (host: Host) => Promise<unknown>): Promise<void> {
    const host = this.#world.pick(this.#live);
    if (host) await work(host).catch(() => {});
  }

  async #pause({ runtime }: Host, runId: string): Promise<void> {
    await runtime.pause(runId);
    this.#seen.pauses++;
  }

  async #say(host: Host, runId: string, person: number): Promise<void> {
    const { runtime, name: by } = host;
    const info: RunInfo = await runtime.get(runId);
    const { status, result } = info;
    if (ended.has(status)) return void this.#ended.add(runId);
    if (result?.status === 'waiting' && result.interrupt) {
      const event: HumanEvent = { type: 'SAY', text: this.#world.chance(0.5) ? 'yes' : `person ${person}` };
      const { id } = result.interrupt;
      await runtime.send(runId, event, { interruptId: id });
      this.#notes.push({ op: 'answer', by, run: runId, interrupt: id, said: JSON.stringify(event) });
    }
    if (result?.status === 'in_doubt') {
      const key = result.calls[0]?.callId ?? '';
      this.#seen.doubts++;
      const isDone = this.#notes.some((note) => note.op === 'effect' && note.run === runId && note.key === key);
      if (!isDone) this.#notes.push({ op: 'retry', by, run: runId, key });
      await runtime.resolve(runId, key, isDone ? { as: 'done', output: key } : { as: 'retry' });
    }
    // its process has died three times, or nobody may say that it shall go on
    if (this.#world.isCalm && (status === 'paused' || status === 'running')) await runtime.resume(runId, { force: info.crashes >= 3 });
  }

  /** What never came to be has nothing to come to. */
  async #forgetUnmade(store: RunStore): Promise<void> {
    for (const id of this.#runIds) if (!(await store.read(id))) this.#ended.add(id);
  }
}

/** What the runtime draws itself, and what a store calls this process: it is compared with nothing but itself. */
const ownerIds = /(?:[\w:%.-]+\/)?\bo_[0-9A-Z]{12}\b/g;
