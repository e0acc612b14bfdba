import type { HostFailure } from '../drive/host-failure.ts';
import type { JournalIndex } from './journal-index.ts';

/**
 * Work that the machine has requested and not started. It starts once `next` has found no more outcomes in the journal, since the next
 * outcome may leave the state.
 */
export class PendingWork {
  readonly #journal: JournalIndex;
  readonly #failure: HostFailure;
  /** An array, because it holds few items: a map emptied at each node rebuilds its table. */
  readonly #items: { readonly key: string; readonly begin: () => void }[] = [];

  constructor(journal: JournalIndex, failure: HostFailure) {
    this.#journal = journal;
    this.#failure = failure;
  }

  add(key: string, begin: () => void): void {
    this.#journal.request(key);
    this.#items.push({ key, begin });
  }

  /** Removes work whose outcome is in the journal. */
  delete(key: string): void {
    const index = this.#items.findIndex((item) => item.key === key);
    if (index >= 0) this.#items.splice(index, 1);
  }

  /**
   * Starts the work of these keys. Returns false when there was none.
   * @throws {WorkflowError} `JOURNAL_DIVERGED` when the journal holds outcomes that the machine has not requested.
   */
  begin(pending: ReadonlyMap<string, unknown>): boolean {
    // Decision 3: work started during a replay would repeat what the next recorded outcome ends.
    let hasStarted = false;
    for (let index = 0; index < this.#items.length; ) {
      const item = this.#items[index];
      if (!item || this.#failure.isSet || !pending.has(item.key)) {
        index++;
        continue;
      }
      if (!hasStarted && !item.key.includes('/')) this.#journal.assertReplayed(item.key);
      hasStarted = true;
      this.#items.splice(index, 1);
      item.begin(); // this may add the work of a workflow inside it
    }
    return hasStarted;
  }
}
