import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { Interrupt, RunEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry, RunRecord, RunStore, Settlement } from '../../core/ports/run-store.ts';
import { compareVersions } from '../../core/util/compare-versions.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { nameErrors } from '../define/definition-error.ts';
import type { Migration } from '../define/migration.ts';
import { findMerger } from '../define/state.ts';
import { driveOf } from '../drive/drive-of.ts';
import { type MachineName, type Migrated, migrationOf, PlacedStart } from '../drive/migrated.ts';
import { newOffer } from '../drive/run-offer.ts';
import { readStart } from '../drive/start-entry.ts';
import type { KnownWorkflows } from '../run/known-workflows.ts';
import { positionFrom, type RunPosition, runPosition } from '../run/run-position.ts';
import type { StoredRun } from '../run/stored-runs.ts';
import { migrationPlace, type Place } from './migration-place.ts';

/** Parts of a runtime that a migration needs. */
export interface MigrationSource {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly workflows: KnownWorkflows;
  /** @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE` when the version is not offered. */
  workflowOf(stored: StoredRun): Promise<AnyWorkflow>;
}

/** Planned migration of a run. All of it is written at once. */
export interface PlannedMigration {
  readonly to: AnyWorkflow;
  readonly entry: JournalEntry;
  readonly settlement: Settlement;
}

/** Returns the interrupts of a waiting run from its journal's last entry. `undefined` when it does not wait. */
export function waitsFor({ record, entries }: StoredRun): readonly Interrupt[] | undefined {
  const last = entries.at(-1);
  // a run with status `running` may have been abandoned while it was acquired
  const mayWait = record.status === 'waiting' || record.status === 'running';
  if (!mayWait || last?.kind !== 'settle') return undefined;
  const { status, interrupts } = last.outcome as { readonly status?: string; readonly interrupts?: readonly Interrupt[] };
  return status === 'waiting' ? (interrupts ?? []) : undefined;
}

/**
 * Returns the newest version that takes over the runs of another one. An older version takes over only if the run's own version is no
 * longer offered.
 */
export function successorOf({ workflows }: MigrationSource, record: RunRecord): AnyWorkflow | undefined {
  const takers = workflows.versionsOf(record.workflow).filter((taker) => taker.version !== record.version && migrationFrom(taker, record));
  const newest = takers.sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (!newest || compareVersions(newest.version, record.version) > 0) return newest;
  return workflows.missing(record) === undefined ? undefined : newest;
}

const migrationFrom = ({ migrate = [] }: AnyWorkflow, { version }: RunRecord): Migration<unknown> | undefined =>
  [migrate].flat().find(({ from }) => [from].flat().includes(version));

/**
 * Plans the move of a run to another version. Executes no nodes and writes nothing.
 *
 * @param epoch of the lease under which the plan is written.
 * @throws {WorkflowError} `MIGRATION_REFUSED` with the reason.
 */
export async function planMigration(source: MigrationSource, stored: StoredRun, to: AnyWorkflow, epoch: number): Promise<PlannedMigration> {
  const { record, entries } = stored;
  const openWaits = waitsFor(stored);
  if (!openWaits) throw migrationRefused(stored, to, `its status is ${record.status}, not waiting`);
  const { open, where, state } = await findPlace(source, stored, to, openWaits);
  const place = await orReject(stored, to, 'its place', async () => migrationPlace(to, where, state));
  if ('reason' in place) throw migrationRefused(stored, to, place.reason);
  const view = await orReject(stored, to, 'its question', async () => viewFromPlace(source, stored, to, place, open));
  const { visits, interrupts, timers } = view;
  const now = source.clock.now();
  const known = duesOf(entries);
  const dues = timers.map((key) => [key, known.get(key) ?? now + (place.delays.get(visitOf(key).name) ?? 0)] as const);
  const wakes = dues.length > 0 ? { wakeAt: Math.min(...dues.map(([, due]) => due)) } : {};
  const still = new Set(interrupts.map(({ id }) => id));
  const migrated: Migrated = {
    ...place.start.at,
    from: { version: record.version, structure: record.structure },
    to: nameOf(to),
    visits,
    open: { ...Object.fromEntries(dues), ...view.entered },
    ...newOffer(to, readStart(record.id, entries).input),
    moved: openWaits.flatMap(({ id }) => (still.has(id) ? [] : [id])),
  };
  const [interrupt] = interrupts;
  const entry: JournalEntry = {
    seq: record.seq + 1,
    key: 'run',
    kind: 'settle',
    outcome: toJson({ status: 'waiting', ...(interrupt ? { interrupt } : {}), interrupts, ...wakes, migrated }, 'result'),
    events: eventsOf(entries, record.version, to.version, interrupts, now),
    epoch,
    at: now,
  };
  return {
    to,
    entry,
    settlement: {
      entry,
      status: 'waiting',
      activeMs: record.activeMs,
      machine: nameOf(to),
      ...wakes,
      ...(interrupt ? {} : { sleeps: true }),
    },
  };
}

/** The run as it is after the move. */
export function toMovedRun({ record, entries }: StoredRun, { entry, to }: PlannedMigration): StoredRun {
  return { record: { ...record, ...nameOf(to), status: 'waiting', seq: entry.seq }, entries: [...entries, entry] };
}

interface NewPosition {
  readonly where: readonly string[];
  readonly state: JsonObject;
  readonly open: RunPosition;
}

/**
 * Finds the position of the run on the new machine. Uses the run's own machine if it is offered, otherwise the new one, which must then
 * reach the same questions.
 */
async function findPlace(
  source: MigrationSource,
  stored: StoredRun,
  to: AnyWorkflow,
  openWaits: readonly Interrupt[],
): Promise<NewPosition> {
  const { store, clock } = source;
  const { state: toState, position } = migrationFrom(to, stored.record) ?? {};
  const own = await ownWorkflow(source, stored);
  const { version } = stored.record;
  if (!own && (toState || position)) {
    throw migrationRefused(stored, to, `its position is known only to version ${version}. Offer that version beside ${to.version}`);
  }
  const open = await orReject(stored, to, own ? `version ${version}` : `version ${to.version}, as version ${version} is not offered`, () =>
    runPosition(store, clock, own ?? to, stored),
  );
  const inside = [...open.atWork, ...openWaits.flatMap(({ key }) => driveOf(key) || [])];
  if (inside.length > 0) throw migrationRefused(stored, to, `it waits inside the node ${inside[0]}`);
  const keys = ({ interrupts }: { readonly interrupts: readonly Interrupt[] }): string =>
    interrupts
      .map(({ key }) => key)
      .sort()
      .join(', ') || 'nothing';
  if (open.isDone || keys(open) !== keys({ interrupts: openWaits })) {
    throw migrationRefused(
      stored,
      to,
      `its journal leads to ${open.where.join(' and ')}, but it waits at ${keys({ interrupts: openWaits })}`,
    );
  }
  const old = deepFreeze(toJson(open.state, 'state', defaultMaxOutputBytes) as JsonObject);
  const state = await orReject(stored, to, 'its state', async () => {
    const made = toState ? nameErrors('migrate.state', (given: JsonObject, _: undefined) => toState(given))(old, undefined) : old;
    const json = toJson(made, 'state', defaultMaxOutputBytes) as JsonObject;
    const checks = findMerger(to.machine)?.checks;
    return deepFreeze(checks ? { ...json, ...checks.readPatch(json, json) } : json);
  });
  const where = await orReject(stored, to, 'its place', async () =>
    position ? nameErrors('migrate.position', position)(Object.freeze([...open.where]), state) : open.where,
  );
  if (!Array.isArray(where) || !where.every((path) => typeof path === 'string')) {
    throw migrationRefused(stored, to, 'migrate.position must return a list of paths');
  }
  return { where, state, open };
}

/** @throws {WorkflowError} `MIGRATION_REFUSED` for an error that `work` throws. */
async function orReject<T>(stored: StoredRun, to: AnyWorkflow, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (hasCode(cause, 'STORE_UNAVAILABLE', 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) throw cause;
    const { code, message } = toErrorInfo(cause);
    throw migrationRefused(stored, to, `${what}: ${code}: ${message}`, cause);
  }
}

async function ownWorkflow(source: MigrationSource, stored: StoredRun): Promise<AnyWorkflow | undefined> {
  try {
    return await source.workflowOf(stored);
  } catch (cause) {
    if (hasCode(cause, 'WORKFLOW_UNKNOWN', 'JOURNAL_OF_OTHER_MACHINE')) return undefined;
    throw cause;
  }
}

/**
 * Finds the open questions and timers at a position. A question or timer that stays open keeps its visit number, so that it stays the same
 * one.
 */
async function viewFromPlace(
  { clock }: MigrationSource,
  { record, entries }: StoredRun,
  to: AnyWorkflow,
  { start }: Place,
  open: RunPosition,
): Promise<
  Pick<RunPosition, 'interrupts' | 'entered'> & { readonly visits: Readonly<Record<string, number>>; readonly timers: readonly string[] }
> {
  // Decision 367: counting from 1 again would reuse idempotency keys of earlier payments.
  const visits = visitsOf(entries);
  const replayFrom = (known: Readonly<Record<string, number>>): Promise<RunPosition> =>
    positionFrom(new PlacedStart({ ...start.at, visits }), clock, to, { record, entries: [] }, known);
  const first = await replayFrom({});
  const names = new Set([...first.interrupts.map(({ key }) => key), ...first.timers].map((key) => visitOf(key).name));
  for (const key of [...open.interrupts.map((interrupt) => interrupt.key), ...open.timers]) {
    const { name, visit } = visitOf(key);
    if (names.has(name)) visits[name] = visit - 1;
  }
  // Decision 366: an id is kept only for the same question, so that an approval covers what was shown.
  const { interrupts, timers, entered } = await replayFrom(open.entered);
  return { visits, interrupts, timers, entered };
}

function visitsOf(entries: readonly JournalEntry[]): Record<string, number> {
  const visits: Record<string, number> = {};
  const see = (key: string): void => {
    const { name, visit } = visitOf(key);
    if (driveOf(key) === '' && visit > 0) visits[name] = Math.max(visits[name] ?? 0, visit);
  };
  for (const entry of entries) {
    see(entry.key);
    const migrated = migrationOf(entry);
    for (const [name, visit] of Object.entries(migrated?.visits ?? {})) visits[name] = Math.max(visits[name] ?? 0, visit);
    for (const key of Object.keys(migrated?.open ?? {})) see(key);
    for (const event of entry.events) {
      if (event.type === 'node-start') see(event.key);
      if (event.type === 'interrupt') see(event.interrupt.key);
    }
  }
  return visits;
}

function visitOf(key: string): { readonly name: string; readonly visit: number } {
  const at = key.lastIndexOf('#');
  return { name: key.slice(0, Math.max(0, at)), visit: at < 0 ? 0 : Number(key.slice(at + 1)) };
}

/** Times at which the set timers are due, by key. */
function duesOf(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const dues = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'timer-start') dues.set(entry.key, Number(entry.outcome));
    for (const [key, due] of Object.entries(migrationOf(entry)?.open ?? {})) dues.set(key, due);
  }
  return dues;
}

function eventsOf(
  entries: readonly JournalEntry[],
  from: string,
  version: string,
  interrupts: readonly Interrupt[],
  at: number,
): readonly RunEvent[] {
  const seq = entries.reduce((sum, { events }) => sum + events.length, 0);
  const moved: RunEvent = { type: 'run-migrated', from, version, seq: seq + 1, at };
  return [moved, ...interrupts.map((interrupt, index): RunEvent => ({ type: 'interrupt', interrupt, seq: seq + 2 + index, at }))];
}

const nameOf = ({ version, structureHash }: AnyWorkflow): MachineName => ({ version, structure: structureHash });

function migrationRefused({ record }: StoredRun, to: AnyWorkflow, reason: string, cause?: unknown): WorkflowError {
  const { id, threadId, version, workflow } = record;
  return new WorkflowError({
    code: 'MIGRATION_REFUSED',
    message: `The run ${id} cannot continue in version ${to.version} of "${workflow}": ${reason}.`,
    hint: `Correct "migrate" of version ${to.version}, or offer version ${version} until the run has ended. The run stays in version ${version}.`,
    data: { runId: id, ...(threadId === undefined ? {} : { threadId }), workflow, from: version, to: to.version, reason },
    cause,
  });
}
