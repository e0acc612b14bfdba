import type { HostFailure } from './host-failure.ts';
import type { JournalIndex } from './journal-index.ts';

/**
 * What the machine has asked for and has not begun. Nothing begins before `next` finds that the journal has no more to say: it may tell that
 * the state is left.
 */
export class AskedWork {
  readonly #journal: JournalIndex;
  readonly #failure: HostFailure;
  readonly #begins = new Map<string, () => void>();

  constructor(journal: JournalIndex, failure: HostFailure) {
    this.#journal = journal;
    this.#failure = failure;
  }

  add(key: string, begin: () => void): void {
    this.#journal.ask(key);
    this.#begins.set(key, begin);
  }

  /** Its outcome is in the journal. */
  delete(key: string): void {
    this.#begins.delete(key);
  }

  /**
   * Begins what these keys have asked for; false when there was nothing.
   * @throws {WorkflowError} `JOURNAL_DIVERGED` when the journal holds outcomes that the machine has not asked for.
   */
  begin(pending: ReadonlyMap<string, unknown>): boolean {
    if (this.#begins.size === 0) return false;
    let begun = false;
    for (const key of pending.keys()) {
      const begin = this.#begins.get(key);
      if (!begin || this.#failure.isSet) continue;
      if (!begun && !key.includes('/')) this.#journal.assertReplayed(key);
      begun = true;
      this.#begins.delete(key);
      begin();
    }
    return begun;
  }
}
