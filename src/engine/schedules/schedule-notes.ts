import type { RunHead, RunStorage } from '../../core/ports/run-storage.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { type DeclaredRecord, readSchedule, type ScheduleRecord, scheduleNote, schedulePrefix, writeSchedule } from './schedule-record.ts';

type StorageWithNotes = RunStorage & Required<Pick<RunStorage, 'note' | 'notes'>>;

export type AnySchedule = ScheduleRecord | DeclaredRecord;

const pageSize = 1_000;

const hasNotes = (storage: RunStorage | undefined): storage is StorageWithNotes =>
  storage?.note !== undefined && storage.notes !== undefined;

/** Schedules in the notes of a storage. */
export class ScheduleNotes {
  readonly #storage: StorageWithNotes;

  private constructor(storage: StorageWithNotes) {
    this.#storage = storage;
  }

  /** Returns `undefined` for a storage without notes. */
  static of(storage: RunStorage | undefined): ScheduleNotes | undefined {
    return hasNotes(storage) ? new ScheduleNotes(storage) : undefined;
  }

  /** Reads all schedules by name, without damaged notes. */
  async all(): Promise<readonly AnySchedule[]> {
    const found: AnySchedule[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#storage.notes({ prefix: schedulePrefix, limit: pageSize, after });
      found.push(...page.flatMap(({ name, text }) => recordOf(name, text)));
      if (page.length < pageSize) return found;
      after = page.at(-1)?.name;
    }
  }

  /**
   * Changes a schedule in one transaction. An error of `decide` writes nothing.
   *
   * @param decide returns the new record. `isTaken` is true if there is a note, even if it is damaged.
   * @returns the schedule after the change.
   */
  async change(
    name: string,
    decide: (found: AnySchedule | undefined, isTaken: boolean) => AnySchedule | 'keep' | 'remove',
  ): Promise<AnySchedule | undefined> {
    const { record } = await this.#storage.note(scheduleNote(name), (text) => {
      const found = readSchedule(text);
      const decision = decide(found, text !== undefined);
      if (decision === 'remove') return { text: undefined, record: undefined };
      return decision === 'keep' ? { text, record: found } : { text: writeSchedule(decision), record: decision };
    });
    return record;
  }

  /** Heads of the runs that exist. */
  async heads(runIds: readonly string[]): Promise<readonly RunHead[]> {
    return runIds.length === 0 ? [] : this.#storage.heads(runIds);
  }
}

/** @throws {WorkflowError} `OPTION_INVALID` for a storage without notes. */
export function scheduleNotesOf(storage: RunStorage | undefined): ScheduleNotes {
  const notes = ScheduleNotes.of(storage);
  if (notes) return notes;
  throw optionInvalid('The store cannot list notes, so it keeps no schedules.', 'Use a SQLite, PostgreSQL or IndexedDB store.', 'store');
}

function recordOf(note: string, text: string): readonly AnySchedule[] {
  const record = readSchedule(text);
  return record && scheduleNote(record.name) === note ? [record] : [];
}
