import type { Clock } from '../../core/ports/clock.ts';
import type { Json } from '../../core/ports/json.ts';
import type { LifecycleEvent } from '../../core/ports/run-event.ts';
import type { Awaitable, EntryKind, JournalEntry } from '../../core/ports/run-store.ts';
import type { HostFailure } from '../drive/host-failure.ts';
import type { EventLog } from './event-log.ts';

export interface JournalWriterOptions {
  /** Number of the journal's last entry. */
  readonly seq: number;
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly failure: HostFailure;
  readonly write: (entry: JournalEntry) => Awaitable<void>;
  /** @see JournalHostOptions */
  readonly confirm: (() => Promise<void> | undefined) | undefined;
}

/** Receives the results of writes. */
export interface JournalReader {
  /** Called when an entry is durable and nothing has failed. */
  committed(entry: JournalEntry): void;
  writeFailed(cause: unknown): void;
  /** Called when an asynchronous write has ended. */
  writeEnded(): void;
}

/** Writes the entries of a journal in sequence. */
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

  /** Number of the last written entry. */
  get seq(): number {
    return this.#seq;
  }

  /** Settles when the pending write has ended. `undefined` when there is none. */
  get written(): Promise<void> | undefined {
    return this.#tail;
  }

  /** Cause of the first failed write. Once it is set, the state of this process differs from the store. */
  get broken(): { readonly cause: unknown } | undefined {
    return this.#broken;
  }

  get isWriting(): boolean {
    return this.#writes > 0;
  }

  /**
   * Commits entries in the order of the calls. The run learns of an entry once it is durable. An entry gets its number and events at the
   * write, so that a failed write leaves no gap.
   *
   * @param says Event to emit with the entry.
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

  /**
   * Confirms that this process may still write the journal. A rejection counts as a failed write. Returns `undefined` when no check is
   * needed.
   */
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
    this.#seq = entry.seq; // even after a failure meanwhile, because the entry is written
    if (!this.#options.failure.isSet) this.#reader.committed(entry);
  }
}
