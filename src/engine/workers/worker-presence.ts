import { newId } from '../../core/util/ids.ts';
import { withTimeout } from '../../core/util/with-timeout.ts';
import type { RuntimeCore } from '../run/runtime-core.ts';
import { processName } from '../store/process-name.ts';
import { canList, type NoteStorage, parseNote, readWorkerNotes, type WorkerNote, type WorkerRole, workerNote } from './worker-notes.ts';

/** Shortest time between two heartbeats, and between two removals of the notes of others. In milliseconds. */
const beatMs = 5_000;
const sweepMs = 60_000;
/** Number of missing heartbeats after which a worker counts as lost. */
const missedBeats = 3;
/** Time after which the note of a lost worker is removed, in milliseconds. */
const forgetMs = 600_000;
/** Time limit for the removal of the own note, in milliseconds. */
const leaveMs = 2_000;
const maxWorkflows = 50;

export interface PresenceOptions {
  readonly core: RuntimeCore;
  readonly role: WorkerRole;
  readonly version: string | undefined;
  readonly slots: number;
  readonly pollMs: number;
}

/** Tells other processes that a worker lives: a note in the store, written once per heartbeat. Does nothing in a store without notes. */
export class WorkerPresence {
  readonly #options: PresenceOptions;
  readonly #storage: NoteStorage | undefined;
  readonly #id = newId('w');
  readonly #everyMs: number;
  #nextBeatAt = Number.NEGATIVE_INFINITY;
  #nextSweepAt = Number.NEGATIVE_INFINITY;
  /** Settles when the draining has been written. */
  #told: Promise<void> = Promise.resolve();
  /** By the store's clock. */
  #since: number | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    const { storage } = options.core.store;
    this.#storage = canList(storage) ? storage : undefined;
    this.#everyMs = Math.max(beatMs, options.pollMs);
  }

  /** Writes the note if it is time. @throws the error of the store. */
  async beat(): Promise<void> {
    const { clock } = this.#options.core;
    if (!this.#storage || clock.monotonic() < this.#nextBeatAt) return;
    const now = await this.#write(this.#storage, { isDraining: false, silentMs: missedBeats * this.#everyMs });
    this.#nextBeatAt = clock.monotonic() + this.#everyMs;
    if (clock.monotonic() < this.#nextSweepAt) return;
    await removeForgotten(this.#storage, now);
    this.#nextSweepAt = clock.monotonic() + sweepMs;
  }

  /** Says that the worker takes no new work. The write goes on in the background, because work must not wait for it. */
  drain(drainMs: number): void {
    if (!this.#storage || this.#since === undefined) return;
    const note = { isDraining: true, silentMs: Math.min(drainMs, forgetMs) + missedBeats * this.#everyMs };
    this.#told = this.#write(this.#storage, note).then(
      () => {},
      () => {}, // it is only shown to others
    );
  }

  /** Removes the note, if the store answers soon. Otherwise other workers remove it. Never rejects. */
  async leave(): Promise<void> {
    const storage = this.#storage;
    if (!storage || this.#since === undefined) return;
    const remove = async (): Promise<void> => {
      await this.#told;
      await storage.note(workerNote(this.#id), () => ({ text: undefined }));
    };
    await withTimeout(
      () => remove().catch(() => {}),
      leaveMs,
      this.#options.core.clock,
      async () => {},
    );
  }

  /** Returns the store's time. */
  async #write(storage: NoteStorage, { isDraining, silentMs }: Pick<WorkerNote, 'isDraining' | 'silentMs'>): Promise<number> {
    const { core, role, version, slots } = this.#options;
    const { now } = await storage.note(workerNote(this.#id), (_, now) => {
      const note: WorkerNote = {
        role,
        ...(version === undefined ? {} : { version }),
        workflows: core.workflows.names().slice(0, maxWorkflows),
        since: this.#since ?? now,
        seenAt: now,
        slots,
        used: core.runs.size,
        isDraining,
        process: processName,
        owner: core.runs.owner,
        silentMs,
      };
      return { text: JSON.stringify(note), now };
    });
    this.#since ??= now;
    return now;
  }
}

/** Removes the notes of workers that were lost long ago. */
async function removeForgotten(storage: NoteStorage, now: number): Promise<void> {
  const isForgotten = (note: WorkerNote | undefined): boolean => note !== undefined && now - note.seenAt > note.silentMs + forgetMs;
  for (const [id, note] of await readWorkerNotes(storage)) {
    // it may have come back since
    if (isForgotten(note)) await storage.note(workerNote(id), (text) => ({ text: isForgotten(parseNote(text)) ? undefined : text }));
  }
}
