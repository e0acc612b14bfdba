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
  /** Names of the workflows that `workflowFor` makes. */
  readonly offers: readonly string[];
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
  /** Settles when the last write has ended. Never rejects. */
  #told: Promise<void> = Promise.resolve();
  #left: Promise<void> | undefined;
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
    if (!this.#storage || this.#left || clock.monotonic() < this.#nextBeatAt) return;
    const written = this.#write(this.#storage, { isDraining: false, silentMs: missedBeats * this.#everyMs });
    this.#told = settled(written);
    const now = await written;
    this.#nextBeatAt = clock.monotonic() + this.#everyMs;
    if (this.#left || clock.monotonic() < this.#nextSweepAt) return;
    await removeForgotten(this.#storage, now);
    this.#nextSweepAt = clock.monotonic() + sweepMs;
  }

  /** Says that the worker takes no new work. The write goes on in the background, because work must not wait for it. */
  drain(drainMs: number): void {
    if (!this.#storage || this.#left || this.#since === undefined) return;
    const note = { isDraining: true, silentMs: Math.min(drainMs, forgetMs) + missedBeats * this.#everyMs };
    this.#told = settled(this.#write(this.#storage, note)); // it is only shown to others
  }

  /** Removes the note, if the store answers soon. Otherwise other workers remove it. Never rejects. */
  leave(): Promise<void> {
    this.#left ??= this.#remove();
    return this.#left;
  }

  async #remove(): Promise<void> {
    const storage = this.#storage;
    if (!storage) return;
    const remove = async (): Promise<void> => {
      await this.#told;
      if (this.#since === undefined) return;
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
    const { core, role, version, offers, slots } = this.#options;
    const known = core.workflows.names();
    const others = offers.filter((one) => !known.some((name) => name === one || name.startsWith(`${one} `)));
    const { now } = await storage.note(workerNote(this.#id), (_, now) => {
      const note: WorkerNote = {
        role,
        ...(version === undefined ? {} : { version }),
        workflows: [...known, ...others].slice(0, maxWorkflows),
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

const settled = (written: Promise<unknown>): Promise<void> =>
  written.then(
    () => {},
    () => {},
  );

/** Removes the notes of workers that were lost long ago. */
async function removeForgotten(storage: NoteStorage, now: number): Promise<void> {
  const isForgotten = (note: WorkerNote | undefined): boolean => note !== undefined && now - note.seenAt > note.silentMs + forgetMs;
  for (const [id, note] of await readWorkerNotes(storage)) {
    // it may have come back since
    if (isForgotten(note)) await storage.note(workerNote(id), (text) => ({ text: isForgotten(parseNote(text)) ? undefined : text }));
  }
}
