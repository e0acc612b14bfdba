import type { Actor } from '../../core/ports/actor.ts';
import type { NoteRow } from '../../core/ports/run-storage.ts';
import type { EntryKind, JournalEntry, RunRecord, RunStore } from '../../core/ports/run-store.ts';
import { checkOptions, count, number, optionInvalid } from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { isObject } from '../../core/util/is-object.ts';
import { auditNote, auditPrefix, type LoggedAction, loggedActions } from './audit-log.ts';

/** An action that a person or a program has asked for. It holds no content: no input, answer or text. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action: LoggedAction | 'start' | 'fork' | 'answer' | 'resolve';
  readonly by: Actor;
  readonly runId?: string;
  readonly threadId?: string;
  /** Name of the schedule that was added, paused, resumed, triggered, backfilled or removed. */
  readonly schedule?: string;
  /** `done`; the code of the error by which it was refused; `begun` if its process has died meanwhile. */
  readonly outcome: string;
}

export interface AuditQuery {
  /** Earliest and latest time, in milliseconds since 1970. @default all */
  readonly since?: number;
  readonly until?: number;
  /** Maximum number of entries; the newest are kept. @default 1_000 */
  readonly limit?: number;
}

const page = 500;
const maxLimit = 10_000;

/**
 * Reads who has started, answered, resolved, cancelled, retried, released, migrated or removed runs, and who has changed schedules of
 * the store, in the order of time. Starts, forks, answers and resolutions are in the journals of their runs, and are removed with them. Other actions are in a log of the store.
 *
 * It reads the journal of every run that has changed since `since`.
 * @throws {WorkflowError} `OPTION_INVALID`, also for a store that cannot list notes.
 * @example for (const { at, action, by } of await readAudit(store, { since: Date.now() - 86_400_000 })) console.log(at, action, by.name);
 */
export async function readAudit(store: RunStore, query: AuditQuery = {}): Promise<readonly AuditEntry[]> {
  checkOptions('readAudit', query, { since: number, until: number, limit: count });
  const { since = 0, until = Number.MAX_SAFE_INTEGER, limit = 1_000 } = query;
  const found = [...(await readLog(store, since, until))];
  for (let before: string | undefined; ; ) {
    const records = await store.list({ limit: page, ...(before === undefined ? {} : { before }) });
    for (const record of records) {
      if (record.updatedAt < since || record.startedAt > until) continue;
      found.push(...(await entriesOf(store, record)).filter(({ at }) => at >= since && at <= until));
    }
    before = records.at(-1)?.id;
    if (records.length < page) break;
  }
  return found.sort((a, b) => a.at - b.at).slice(-Math.min(limit, maxLimit));
}

async function readLog(store: RunStore, since: number, until: number): Promise<readonly AuditEntry[]> {
  const { storage } = store;
  if (!storage?.notes) throw optionInvalid('The store keeps no log of actions, because it keeps no notes.', 'Use another store.', 'store');
  const found: AuditEntry[] = [];
  for (let after = auditNote(Math.max(0, since), ''); ; ) {
    const rows: readonly NoteRow[] = await storage.notes({ prefix: auditPrefix, limit: page, after });
    for (const { text } of rows) {
      const entry = parseLogged(text);
      if (entry && entry.at <= until) found.push(entry);
    }
    const last = rows.at(-1)?.name;
    if (last === undefined || rows.length < page || last > auditNote(Math.min(until, 1e14), '~')) return found;
    after = last;
  }
}

/** Removes the entries of the log before a time. A store without notes has none. */
export async function pruneAudit({ storage }: RunStore, before: number): Promise<void> {
  if (!storage?.notes || !storage.note) return;
  for (;;) {
    const rows = await storage.notes({ prefix: auditPrefix, limit: page });
    const old = rows.filter(({ name }) => name < auditNote(Math.max(0, before), ''));
    for (const { name } of old) await storage.note(name, () => ({ text: undefined }));
    if (old.length < page) return;
  }
}

/** Returns `undefined` for a text that `audited` has not written. */
function parseLogged(text: string): AuditEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { at, by, runId, threadId, schedule, outcome } = value;
    const action = loggedActions.find((one) => one === value.action);
    if (!isActor(by) || !Number.isFinite(at) || action === undefined) return undefined;
    return {
      at: Number(at),
      action,
      by,
      ...(typeof runId === 'string' ? { runId } : {}),
      ...(typeof threadId === 'string' ? { threadId } : {}),
      ...(typeof schedule === 'string' ? { schedule } : {}),
      outcome: String(outcome),
    };
  } catch {
    // not JSON
  }
  return undefined;
}

const actions: Readonly<Partial<Record<EntryKind, AuditEntry['action']>>> = {
  start: 'start',
  event: 'answer',
  step: 'resolve',
  retry: 'resolve',
};

const isActor = (value: unknown): value is Actor & Readonly<Record<string, string>> => isObject(value) && typeof value.via === 'string';

/** Returns the actions in a journal. A damaged or removed journal has none, so that it does not hide the others. */
async function entriesOf(store: RunStore, { id: runId, threadId }: RunRecord): Promise<readonly AuditEntry[]> {
  let entries: readonly JournalEntry[];
  try {
    entries = await store.journal(runId);
  } catch (cause) {
    if (hasCode(cause, 'RUN_UNKNOWN', 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) return [];
    throw cause;
  }
  const [start] = entries;
  const isFork = isObject(start?.outcome) && 'forkOf' in start.outcome;
  return entries.flatMap((entry): readonly AuditEntry[] => {
    const { kind, outcome, at } = entry;
    const action = actions[kind];
    if (action === undefined || !isObject(outcome) || !isActor(outcome.by)) return [];
    if (isFork && entry !== start && at <= (start?.at ?? 0)) return []; // copied from the origin, which has it itself
    return [
      {
        at,
        action: action === 'start' && isFork ? 'fork' : action,
        by: outcome.by,
        runId,
        ...(threadId === undefined ? {} : { threadId }),
        outcome: 'done',
      },
    ];
  });
}
