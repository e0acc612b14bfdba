import type { NoteRow, RunStorage } from '../../core/ports/run-storage.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseName } from '../store/process-name.ts';
import { processState } from '../store/process-state.ts';

/** `worker`: takes work of the store. `server`: also drives the runs that clients start. */
export type WorkerRole = 'worker' | 'server';

/** A worker as others see it. Times are milliseconds since 1970, by the store's clock. */
export interface WorkerStatus {
  readonly id: string;
  readonly role: WorkerRole;
  /** `draining`: it takes no new work. `lost`: its process has died, or has not been heard for three heartbeats. */
  readonly state: 'active' | 'draining' | 'lost';
  /** Version of the app, if it was given. */
  readonly version?: string;
  /** Workflows that it can drive, as `id version`; the first 50. Empty if it makes a workflow for each run. */
  readonly workflows: readonly string[];
  readonly host: string;
  readonly pid: string;
  readonly since: number;
  /** Time of its last heartbeat. */
  readonly seenAt: number;
  /** Number of runs that it may take, and number of runs that its runtime drives, also those that it has started itself. */
  readonly slots: number;
  readonly used: number;
  /** Runs that a lost worker has left and that no other one has resumed yet; the first 100. Empty for other workers. */
  readonly runs: readonly string[];
}

/** Content of a worker's note. */
export interface WorkerNote extends Omit<WorkerStatus, 'id' | 'state' | 'host' | 'pid' | 'runs'> {
  readonly isDraining: boolean;
  /** Name of its process. */
  readonly process: string;
  /** End of its name as an owner of leases. */
  readonly owner: string;
  /** Time without a heartbeat after which it counts as lost, in milliseconds. */
  readonly silentMs: number;
}

const prefix = 'worker ';
const page = 1_000;
const maxRuns = 100;

/** Storage that can keep and list notes. */
export type NoteStorage = RunStorage & Required<Pick<RunStorage, 'note' | 'notes'>>;

export const canList = (storage: RunStorage | undefined): storage is NoteStorage =>
  storage?.note !== undefined && storage.notes !== undefined;

export const workerNote = (id: string): string => `${prefix}${id}`;

/** Lists the notes of all workers. Notes that cannot be read are skipped. */
export async function readWorkerNotes(storage: NoteStorage): Promise<ReadonlyMap<string, WorkerNote>> {
  const found = new Map<string, WorkerNote>();
  for (let after: string | undefined; ; ) {
    const rows: readonly NoteRow[] = await storage.notes({ prefix, limit: page, after });
    for (const { name, text } of rows) {
      const note = parseNote(text);
      if (note) found.set(name.slice(prefix.length), note);
    }
    after = rows.at(-1)?.name;
    if (rows.length < page) return found;
  }
}

/** Returns `undefined` for a text that no worker has written. */
export function parseNote(text: string | undefined): WorkerNote | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { role, version, workflows, since, seenAt, slots, used, isDraining, process, owner, silentMs } = value;
  const isWhole =
    [since, seenAt, slots, used, silentMs].every(Number.isFinite) &&
    typeof process === 'string' &&
    typeof owner === 'string' &&
    owner !== '';
  if (!isWhole || !Array.isArray(workflows)) return undefined;
  return {
    role: role === 'server' ? 'server' : 'worker',
    ...(typeof version === 'string' ? { version } : {}),
    workflows: workflows.map(String),
    since: Number(since),
    seenAt: Number(seenAt),
    slots: Number(slots),
    used: Number(used),
    isDraining: isDraining === true,
    process,
    owner,
    silentMs: Number(silentMs),
  };
}

/**
 * Lists the workers and servers of a store, the oldest first. A worker that has closed is not listed, and a lost one for ten minutes.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a store that cannot list notes, such as that of Restate.
 * @example for (const { id, state, runs } of await listWorkers(store)) if (state === 'lost') console.log(id, runs);
 */
export async function listWorkers(store: RunStore): Promise<readonly WorkerStatus[]> {
  const { storage } = store;
  if (!canList(storage)) {
    throw optionInvalid(
      'The store cannot list its workers, because it keeps no notes.',
      'Use a SQLite, PostgreSQL, IndexedDB or Durable Object store.',
      'store',
    );
  }
  const now = (await storage.now?.()) ?? Date.now();
  const workers = [...(await readWorkerNotes(storage))].map(([id, note]) => ({ id, note, state: stateOf(note, now) }));
  const left = workers.some(({ state }) => state === 'lost') ? await runsByOwner(store, storage) : new Map<string, readonly string[]>();
  return workers
    .sort((a, b) => a.note.since - b.note.since)
    .map(({ id, state, note }) => {
      const { process, owner, isDraining: _, silentMs: __, ...shown } = note;
      const { host, pid } = parseName(process);
      const runs = state === 'lost' ? (left.get(owner) ?? []).slice(0, maxRuns) : [];
      return { id, state, ...shown, host, pid, runs };
    });
}

function stateOf({ process, seenAt, silentMs, isDraining }: WorkerNote, now: number): WorkerStatus['state'] {
  if (now - seenAt > silentMs || processState(process) === 'gone') return 'lost';
  return isDraining ? 'draining' : 'active';
}

/** Running runs by the last part of the name of their lease's owner, which is unique. */
async function runsByOwner(store: RunStore, storage: RunStorage): Promise<ReadonlyMap<string, readonly string[]>> {
  const owners = new Map<string, string[]>();
  for (const { id } of await store.list({ status: 'running', limit: Number.MAX_SAFE_INTEGER })) {
    const owner = (await storage.read(id))?.lease?.owner.split('/').at(-1);
    if (owner !== undefined) owners.set(owner, [...(owners.get(owner) ?? []), id]);
  }
  return owners;
}
