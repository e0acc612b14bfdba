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
  readonly #asked: { readonly key: string; readonly begin: () => void }[] = [];

  constructor(journal: JournalIndex, failure: HostFailure) {
    this.#journal = journal;
    this.#failure = failure;
  }

  add(key: string, begin: () => void): void {
    this.#journal.ask(key);
    this.#asked.push({ key, begin });
  }

  /** Removes work whose outcome is in the journal. */
  delete(key: string): void {
    const index = this.#asked.findIndex((asked) => asked.key === key);
    if (index >= 0) this.#asked.splice(index, 1);
  }

  /**
   * Starts the work of these keys. Returns false when there was none.
   * @throws {WorkflowError} `JOURNAL_DIVERGED` when the journal holds outcomes that the machine has not requested.
   */
  begin(pending: ReadonlyMap<string, unknown>): boolean {
    // Decision 3: work started during a replay would repeat what the next recorded outcome ends.
    let begun = false;
    for (let index = 0; index < this.#asked.length; ) {
      const asked = this.#asked[index];
      if (!asked || this.#failure.isSet || !pending.has(asked.key)) {
        index++;
        continue;
      }
      if (!begun && !asked.key.includes('/')) this.#journal.assertReplayed(asked.key);
      begun = true;
      this.#asked.splice(index, 1);
      asked.begin(); // this may add the work of a workflow inside it
    }
    return begun;
  }
}
