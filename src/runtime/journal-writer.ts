import type { Clock } from '../ports/clock.ts';
import type { Json } from '../ports/json.ts';
import type { LifecycleEvent } from '../ports/run-event.ts';
import type { Awaitable, EntryKind, JournalEntry } from '../ports/run-store.ts';
import type { EventLog } from './event-log.ts';
import type { HostFailure } from './host-failure.ts';

export interface JournalWriterOptions {
  /** The number of the journal's last entry. */
  readonly seq: number;
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly failure: HostFailure;
  /** Commits an entry. */
  readonly write: (entry: JournalEntry) => Awaitable<void>;
  /** @see JournalHostOptions */
  readonly confirm: (() => Promise<void> | undefined) | undefined;
}

/** Who is told what becomes of the entries. */
export interface JournalReader {
  /** An entry is durable, and nothing has failed. */
  committed(entry: JournalEntry): void;
  writeFailed(cause: unknown): void;
  /** A write that took its time is over. */
  writeEnded(): void;
}

/** Writes a journal, one entry after the other. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #reader: JournalReader;
  #seq: number;
  #writes = 0;
  #tail: Promise<void> | undefined;
  #broken: { readonly cause: unknown } | undefined;

  constructor(options: JournalWriterOptions, reader: JournalReader) {
    this.#options = options;
    this.#reader = reader;
    this.#seq = options.seq;
  }

  /** The number of the last entry that is written. */
  get seq(): number {
    return this.#seq;
  }

  /** Settles when no write is under way; `undefined` when there is none. */
  get written(): Promise<void> | undefined {
    return this.#tail;
  }

  /** First failure of a write: the store does not hold what this process believes. */
  get broken(): { readonly cause: unknown } | undefined {
    return this.#broken;
  }

  get isWriting(): boolean {
    return this.#writes > 0;
  }

  /**
   * Commits an entry, in the order of the calls; the run learns of it when it is durable. Its number and its events are taken when it is
   * written, and not before: one that a failure keeps from being written must not leave a gap.
   *
   * @param says what is said with it.
   */
  append(key: string, kind: EntryKind, outcome: unknown, says?: LifecycleEvent): Promise<void> | undefined {
    if (this.#options.failure.isSet) return undefined;
    if (this.#tail) return this.#follow(this.#tail.then(() => this.#commit(key, kind, outcome, says)));
    let written: Awaitable<void>;
    try {
      written = this.#commit(key, kind, outcome, says);
    } catch (cause) {
      this.#failed(cause);
      return undefined;
    }
    return written instanceof Promise ? this.#follow(written) : undefined;
  }

  /** Makes sure that the journal may still be written; that it may not is a write that has failed. `undefined`: it surely may. */
  confirm(): Promise<void> | undefined {
    return this.#options.confirm?.()?.catch((cause: unknown) => this.#failed(cause));
  }

  #follow(written: Promise<void>): Promise<void> {
    this.#writes++;
    const ended = (): void => {
      this.#writes--;
      if (this.#tail === tail) this.#tail = undefined;
      this.#reader.writeEnded();
    };
    const tail: Promise<void> = written.catch((cause: unknown) => this.#failed(cause)).then(ended);
    this.#tail = tail;
    return tail;
  }

  #failed(cause: unknown): void {
    this.#broken ??= { cause };
    this.#reader.writeFailed(cause);
  }

  #commit(key: string, kind: EntryKind, outcome: unknown, says: LifecycleEvent | undefined): Awaitable<void> {
    const { clock, epoch, failure, log, write } = this.#options;
    if (failure.isSet) return undefined;
    const at = clock.now();
    if (says) log.emit(says, undefined, at);
    const entry = log.entry({ seq: this.#seq + 1, key, kind, outcome: outcome as Json, epoch, at });
    const written = write(entry);
    if (written instanceof Promise) return written.then(() => this.#committed(entry));
    this.#committed(entry);
    return undefined;
  }

  #committed(entry: JournalEntry): void {
    this.#seq = entry.seq; // whatever has happened meanwhile: it is written
    if (!this.#options.failure.isSet) this.#reader.committed(entry);
  }
}
