import { type JournalEntry, listWorkers, type RunRecord, type RunStore } from 'agent-machines';
import { verifyStore } from 'agent-machines/stores';
import type { FleetReport } from './fleet.ts';
import type { FleetLedger } from './fleet-ledger.ts';

/** A start that a server or a store has accepted. */
export interface AcceptedRun {
  readonly id: string;
  readonly kind: 'order' | 'approval' | 'load' | 'chat';
  readonly key: string;
  /** Versions that were deployed when the start was sent, and when it was accepted. */
  readonly versions: readonly string[];
  threadId?: string;
  /** The human answer that was counted. */
  answer?: string | undefined;
}

export interface FleetFacts {
  readonly accepted: readonly AcceptedRun[];
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
  /** When the load ended, in milliseconds since 1970. */
  readonly stoppedAt: number;
}

/** Interval of the two schedules, in milliseconds. */
export const everyMs = 2_000;

/** Compares what a fleet has accepted with its store and with the world. */
export async function judgeFleet(store: RunStore, ledger: FleetLedger, facts: FleetFacts): Promise<FleetReport> {
  const { accepted, stoppedAt } = facts;
  const violations = [...facts.violations];
  const records = new Map((await store.list({ limit: Number.MAX_SAFE_INTEGER })).map((record) => [record.id, record]));
  for (const run of accepted) {
    const record = records.get(run.id);
    if (record)
      violations.push(...lapsesOf(run, record, await store.journal(run.id), ledger).map((lapse) => `${run.key} (${run.id}) ${lapse}`));
    else violations.push(`${run.key} (${run.id}) was accepted and is lost`);
  }
  const known = new Set(accepted.map(({ id }) => id));
  for (const { id, workflow, status } of records.values()) {
    if (workflow !== 'report' && !known.has(id)) violations.push(`${id} was started, but no start was accepted`);
    if (status === 'running') violations.push(`${id} is left running`);
  }
  violations.push(...(await lapsesOfThreads(store, accepted)));
  const scheduled = [...records.values()].filter(({ workflow }) => workflow === 'report');
  for (const name of ['report', 'stored']) violations.push(...lapsesOfSchedule(name, scheduled, ledger, stoppedAt));
  const verdict = await verifyStore(store);
  violations.push(...verdict.problems.map(({ message }) => message));
  const workers = await listWorkers(store);
  for (const { id, state, runs } of workers) {
    if (state !== 'lost' || runs.length > 0) violations.push(`the worker ${id} is ${state}, with the runs ${runs.join()}`);
  }
  const of = (kind: AcceptedRun['kind'], version?: string): number =>
    accepted.filter((run) => run.kind === kind && (version === undefined || records.get(run.id)?.version === version)).length;
  const counts = {
    'accepted starts': accepted.length,
    'orders of version 1': of('order', '1'),
    'orders of version 2': of('order', '2'),
    'approvals of version 1': of('approval', '1'),
    'approvals of version 2': of('approval', '2'),
    'failing loads': of('load'),
    'turns of conversations': of('chat'),
    'runs of a declared schedule': scheduled.filter(({ id }) => id.startsWith('report_')).length,
    'runs of a stored schedule': scheduled.filter(({ id }) => id.startsWith('stored_')).length,
    ...facts.counts,
    'lost workers listed': workers.length,
    'verified runs': verdict.runs,
    'verified entries': verdict.entries,
    violations: violations.length,
  };
  return { counts, violations };
}

function lapsesOf(run: AcceptedRun, record: RunRecord, entries: readonly JournalEntry[], ledger: FleetLedger): readonly string[] {
  const { kind, key, versions, answer } = run;
  const lapses: string[] = [];
  if (record.status !== 'done' || record.failure !== undefined) return [`has ended as ${record.status} ${record.failure ?? ''}`];
  const ends = entries.filter(({ kind: what, outcome }) => what === 'settle' && statusOf(outcome) === 'done');
  if (ends.length !== 1 || entries.at(-1) !== ends[0]) lapses.push(`has ended ${ends.length} times`);
  const effects = ledger.count('pay', key) + ledger.count('publish', key);
  const wanted = kind === 'order' || answer === 'APPROVE' ? 1 : 0;
  if (effects !== wanted) lapses.push(`has had ${effects} effects instead of ${wanted}`);
  if ((kind === 'order' || kind === 'chat') && ledger.count('note', key) === 0) lapses.push('has sent no note');
  if (kind === 'order' && !versions.includes(record.version)) lapses.push(`has version ${record.version}, but ${versions} was deployed`);
  const said = entries.flatMap(({ kind: what, outcome }) => (what === 'node' ? [JSON.stringify(outcome)] : [])).join();
  if (wanted === 1 && !said.includes(`${kind === 'order' ? 'pay' : 'publish'} ${record.version}`))
    lapses.push('has run the code of another version');
  const answers = entries.filter(({ kind: what }) => what === 'event').map(({ outcome }) => JSON.stringify(outcome));
  if (kind === 'approval' && (answers.length !== 1 || !answers[0]?.includes(`"${answer}"`))) {
    lapses.push(`has the answers ${answers.join()} instead of ${answer}`);
  }
  return lapses;
}

const statusOf = (outcome: JournalEntry['outcome']): unknown =>
  typeof outcome === 'object' && outcome !== null && 'status' in outcome ? outcome.status : undefined;

async function lapsesOfThreads(store: RunStore, accepted: readonly AcceptedRun[]): Promise<readonly string[]> {
  const lapses: string[] = [];
  for (const [threadId = '', turns] of Map.groupBy(
    accepted.filter(({ kind }) => kind === 'chat'),
    (run) => run.threadId,
  )) {
    const thread = await store.readThread(threadId);
    if (thread?.revision !== turns.length || thread.state !== turns.length) {
      lapses.push(`${threadId} counts ${JSON.stringify(thread?.state)} of ${turns.length} turns`);
    }
  }
  return lapses;
}

/** Time of a scheduled run, in milliseconds since 1970. */
export function timeOf({ id }: Pick<RunRecord, 'id'>): number {
  const [, year, month, day, hour, minute, second] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(id)?.map(Number) ?? [];
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

/** Every time from the first run of a schedule to the end of the load has one run, and the run has ended. */
function lapsesOfSchedule(name: string, scheduled: readonly RunRecord[], ledger: FleetLedger, stoppedAt: number): readonly string[] {
  const runs = scheduled.filter(({ id }) => id.startsWith(`${name}_`));
  const times = new Set(runs.map(timeOf));
  const lapses = runs.filter((run) => run.status !== 'done' && timeOf(run) <= stoppedAt).map(({ id, status }) => `${id} is ${status}`);
  for (let time = Math.min(...times); time <= stoppedAt; time += everyMs) {
    const date = new Date(time).toISOString();
    if (!times.has(time)) lapses.push(`the schedule ${name} has started no run for ${date}`);
    else if (name === 'report' && ledger.count('note', `report ${time}`) === 0) lapses.push(`the run for ${date} has done nothing`);
  }
  return times.size === 0 ? [`the schedule ${name} has started nothing`] : lapses;
}
