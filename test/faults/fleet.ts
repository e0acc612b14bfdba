// Servers, workers and clients as in production, with kills and a deployment. Nothing may be lost, and nothing may happen twice.
import { setTimeout as pause } from 'node:timers/promises';
import { bulkRuns, createRuntime, migrateRuns, type RunStore, type Runtime } from 'agent-machines';
import { type AgentClient, ApiFailure, createClient } from 'agent-machines/client';
import { storedSchedules } from 'agent-machines/schedules';
import { type FleetWorkflows, fleetWorkflows } from '../fixtures/fleet-workflows.ts';
import { token } from '../fixtures/served.ts';
import type { FaultPlace } from './fault-place.ts';
import { type AcceptedRun, everyMs, type FleetFacts, judgeFleet, timeOf } from './fleet-judge.ts';
import { type FleetLedger, fleetLedger } from './fleet-ledger.ts';
import { FleetProcesses } from './fleet-processes.ts';

export interface FleetOptions {
  readonly place: FaultPlace;
  /** Time for which clients start runs. The deployment comes in the middle. In milliseconds. */
  readonly lastsMs: number;
  readonly random: () => number;
  /** @default silent */
  readonly progress?: (said: string) => void;
}

export interface FleetReport {
  /** What was counted, by name. */
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const workers = 3;
/** Time for the last runs to end, in milliseconds. */
const patienceMs = 180_000;

export async function fleet({ place, lastsMs, random, progress = () => {} }: FleetOptions): Promise<FleetReport> {
  await using ledger = await fleetLedger(random);
  const store = place.open();
  const processes = new FleetProcesses({ address: place.address, ledger: ledger.url }, place.env);
  try {
    await store.list({ limit: 1 }); // makes the tables before the processes race for them
    await processes.begin(workers);
    const work = new FleetWork({ store, processes, ledger, random });
    await work.goOnFor(lastsMs, progress);
    const facts = await work.finish(patienceMs);
    await processes.close();
    return await judgeFleet(store, ledger, facts);
  } finally {
    processes.killAll();
    await store.close();
  }
}

interface FleetWorkOptions {
  readonly store: RunStore;
  readonly processes: FleetProcesses;
  readonly ledger: FleetLedger;
  readonly random: () => number;
}

/** Clients, operators and accidents of a fleet. */
class FleetWork {
  readonly #processes: FleetProcesses;
  readonly #ledger: FleetLedger;
  readonly #random: () => number;
  readonly #client: AgentClient;
  readonly #store: RunStore;
  /** Of the operator, who also enqueues runs. */
  readonly #runtime: Runtime;
  readonly #workflows: Readonly<Record<'1' | '2', FleetWorkflows>>;
  readonly #accepted: AcceptedRun[] = [];
  readonly #counts: Record<string, number> = {};
  readonly #violations: string[] = [];
  /** Approvals that are answered after the deployment. */
  readonly #late: AcceptedRun[] = [];
  #background: readonly Promise<void>[] = [];
  #number = 0;
  #isOver = false;
  #isFinished = false;
  #stoppedAt = 0;

  constructor({ store, processes, ledger, random }: FleetWorkOptions) {
    this.#store = store;
    this.#processes = processes;
    this.#ledger = ledger;
    this.#random = random;
    const [former, current] = [fleetWorkflows('1', ledger.url), fleetWorkflows('2', ledger.url)];
    this.#workflows = { 1: former, 2: current };
    this.#runtime = createRuntime({ store, workflows: [former.order, former.approval, ...Object.values(current)] });
    this.#client = createClient({ baseUrl: 'http://fleet.test', token, fetch: (input, init) => this.#fetch(String(input), init) });
  }

  async goOnFor(lastsMs: number, progress: (said: string) => void): Promise<void> {
    const begun = performance.now();
    const everyTwoSeconds = { cron: '*/2 * * * * *', timeZone: 'UTC', missed: 'all', overlap: 'allow' } as const;
    await storedSchedules(this.#runtime).add({ name: 'stored', workflow: 'report', input: { key: 'stored' }, ...everyTwoSeconds });
    const lanes = [
      ...[0, 1, 2].map(() => this.#lane((key) => this.#order(key))),
      this.#lane((key) => this.#enqueued(key)),
      ...[0, 1].map(() => this.#lane((key) => this.#approval(key))),
      this.#lane((key) => this.#load(key)),
      ...[0, 1].map(() => this.#lane((key) => this.#turn(key))),
    ];
    this.#background = [this.#resolver(), this.#retrier()];
    const killer = this.#killer();
    const isHalf = pause(lastsMs / 2).then(() => this.#deploy());
    while (performance.now() - begun < lastsMs) {
      await pause(Math.min(10_000, lastsMs / 10));
      progress(
        `${this.#accepted.length} runs accepted, ${this.#counts['killed workers'] ?? 0} workers killed, version ${this.#processes.version}`,
      );
    }
    this.#stoppedAt = Date.now() - 2 * everyMs; // a busy machine may be late for the last times
    this.#isOver = true;
    await Promise.all([...lanes, killer, isHalf]);
    await Promise.all(this.#late.map((run) => this.#answer(run)));
    this.#counts['seconds of load'] = Math.round((performance.now() - begun) / 1_000);
  }

  /** Waits until every accepted run has ended. */
  async finish(withinMs: number): Promise<FleetFacts> {
    const until = performance.now() + withinMs;
    let open: readonly string[] = this.#accepted.map(({ id }) => id);
    while (open.length > 0 && performance.now() < until) {
      await pause(500);
      const records = await Promise.all(open.map(async (id) => ({ id, status: (await this.#store.read(id))?.status })));
      open = records.filter(({ status }) => status !== 'done').map(({ id }) => id);
    }
    const isLate = async (): Promise<boolean> =>
      (await this.#store.list({ workflow: 'report', limit: Number.MAX_SAFE_INTEGER })).some(
        (run) => run.status !== 'done' && timeOf(run) <= this.#stoppedAt,
      );
    while ((await isLate()) && performance.now() < until) await pause(500);
    this.#isFinished = true;
    await Promise.all(this.#background);
    await this.#runtime.close();
    return { accepted: this.#accepted, counts: this.#counts, violations: this.#violations, stoppedAt: this.#stoppedAt };
  }

  /** One client, which starts the next run after the last one. */
  async #lane(run: (key: string) => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      const key = `k${this.#number++}`;
      try {
        await run(key);
      } catch (cause) {
        this.#violations.push(`${key} was refused: ${String(cause)}`);
      }
      await pause(200 * this.#random());
    }
  }

  async #start(kind: AcceptedRun['kind'], key: string, more: object = {}): Promise<AcceptedRun> {
    const before = this.#processes.version;
    const { id } = await this.#client.startRun({ body: { workflow: kind, input: { key }, ...more } }, { idempotencyKey: key });
    const run: AcceptedRun = { id, kind, key, versions: [before, this.#processes.version] };
    this.#accepted.push(run);
    return run;
  }

  async #order(key: string): Promise<void> {
    const { id } = await this.#start('order', key);
    if (this.#random() < 0.5) for await (const _ of this.#client.events(id)); // a page that follows it
  }

  async #enqueued(key: string): Promise<void> {
    const { version } = this.#processes;
    const { order } = this.#workflows[version];
    const { status } = await this.#runtime.start(order, { key } as never, { runId: key, drive: false }).result;
    if (status === 'failed') throw new Error(`${key} was not stored`);
    this.#accepted.push({ id: key, kind: 'order', key, versions: [version, version] });
  }

  async #approval(key: string): Promise<void> {
    const run = await this.#start('approval', key);
    if (this.#processes.version === '1' && (this.#late.length === 0 || this.#random() < 0.1)) this.#late.push(run);
    else await this.#answer(run);
  }

  /** Answers as one human, or as two who disagree. */
  async #answer(run: AcceptedRun): Promise<void> {
    const isRace = this.#random() < 0.3;
    const events = isRace ? (['APPROVE', 'REJECT'] as const) : ([this.#random() < 0.8 ? 'APPROVE' : 'REJECT'] as const);
    const outcomes = await Promise.all(events.map(async (type) => ((await this.#sent(run.id, type)) ? type : undefined)));
    const won = outcomes.filter((type) => type !== undefined);
    this.#count('human answers', won.length);
    this.#count('human answers refused as second', outcomes.length - won.length);
    if (won.length !== 1) this.#violations.push(`${run.key}: ${won.length} of ${events.length} answers were accepted`);
    run.answer = won[0];
  }

  /** Sends an answer until it is counted. Returns false if another answer was counted. */
  async #sent(id: string, type: 'APPROVE' | 'REJECT'): Promise<boolean> {
    for (;;) {
      const { interrupts, status } = await this.#client.getRun({ params: { id } });
      const [question] = interrupts;
      if (!question && status === 'waiting') throw new Error(`${id} waits without a question`);
      if (!question && status !== 'running' && status !== 'paused') return false; // answered by the other one
      try {
        if (question) {
          await this.#client.send({ params: { id }, body: { interruptId: question.id, event: { type } } });
          return true;
        }
      } catch (cause) {
        const code = cause instanceof ApiFailure ? cause.code : '';
        if (code === 'INTERRUPT_ANSWERED' || code === 'RUN_ENDED') return false;
        // the deployment has moved its question, or the answer came to a server that has not seen the other one's yet
        if (!['INTERRUPT_MOVED', 'INTERRUPT_UNKNOWN', 'WORKFLOW_UNKNOWN', 'RUN_BUSY'].includes(code)) throw cause;
      }
      await pause(50);
    }
  }

  async #load(key: string): Promise<void> {
    await this.#start('load', key);
    await pause(500);
  }

  async #turn(key: string): Promise<void> {
    const threadId = `t${Math.floor(10 * this.#random())}`;
    const run = await this.#start('chat', key, { threadId, ifBusy: 'queue' });
    run.threadId = threadId;
  }

  /** A human who looks up each call in doubt. */
  async #resolver(): Promise<void> {
    while (!this.#isFinished) {
      await pause(300);
      const { runs } = await this.#client.listRuns({ query: { status: 'in_doubt' } });
      for (const { id } of runs) {
        const { inDoubt } = await this.#client.getRun({ params: { id } });
        for (const { callId, describe } of inDoubt) {
          const [what = '', key = ''] = String(describe).split(' ');
          const isDone = this.#ledger.count(what, key) > 0;
          const resolution = isDone ? ({ as: 'done', output: 'found' } as const) : ({ as: 'retry' } as const);
          try {
            await this.#client.resolveCall({ params: { id }, body: { callId, resolution } });
            this.#count(isDone ? 'calls in doubt that had happened' : 'calls in doubt that had not happened');
          } catch (cause) {
            // a repeated request, after the first one was served by a process that died
            if (!(cause instanceof ApiFailure && ['CALL_UNKNOWN', 'RUN_ENDED', 'RUN_BUSY'].includes(cause.code))) throw cause;
          }
        }
      }
    }
  }

  /** An operator who retries the runs that a bug has stopped, once its correction is deployed. A worker of version 1 may take some again. */
  async #retrier(): Promise<void> {
    while (!this.#isFinished) {
      await pause(2_000);
      if (this.#processes.version === '1') continue;
      const failed = { store: this.#store, runtime: this.#runtime, where: { workflow: 'load', code: 'DEFINITION_THREW' } };
      let before: string | undefined;
      do {
        const page = { limit: 20, ...(before === undefined ? {} : { before }) };
        const { outcomes, next } = await bulkRuns({ ...failed, ...page, action: 'retry', dryRun: false });
        for (const { runId, result, error } of outcomes) {
          this.#count(result === 'done' ? 'retried runs' : 'retries that came too late');
          if (result === 'failed') this.#violations.push(`${runId} was not retried: ${error?.message}`);
        }
        before = next;
      } while (before !== undefined);
    }
  }

  async #killer(): Promise<void> {
    for (let number = 1; !this.#isOver; number++) {
      await pause(500 + 2_500 * this.#random());
      const role = number % 6 === 3 ? 'server' : 'worker';
      if (await this.#processes.kill(role, Math.floor(workers * this.#random()))) this.#count(`killed ${role}s`);
    }
  }

  async #deploy(): Promise<void> {
    const begun = performance.now();
    await this.#processes.deploy();
    this.#counts['deployment, ms'] = Math.round(performance.now() - begun);
    const { moved, refused } = await migrateRuns({
      store: this.#store,
      workflows: [this.#workflows[1].order, this.#workflows[1].approval, ...Object.values(this.#workflows[2])],
    });
    this.#count('migrated runs', moved.length);
    for (const { runId, error } of refused) this.#violations.push(`${runId} was not migrated: ${error.message}`);
  }

  /** Sends a request to the server in use, until one answers. Clients repeat their key, so nothing starts twice. */
  async #fetch(url: string, init: RequestInit | undefined): Promise<Response> {
    for (const begun = performance.now(); ; ) {
      const { pathname, search } = new URL(url);
      try {
        const response = await fetch(`${this.#processes.url}${pathname}${search}`, init);
        if (response.status !== 503) return response;
      } catch {
        // its server was killed, or has ended
      }
      this.#count('repeated requests');
      if (performance.now() - begun > 60_000) throw new Error(`no server has answered ${pathname} for a minute`);
      await pause(50);
    }
  }

  #count(name: string, number = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + number;
  }
}
