import type { HostFailure } from './host-failure.ts';
import type { JournalIndex } from './journal-index.ts';

/**
 * What the machine has asked for and has not begun. Nothing begins before `next` finds that the journal has no more to say: it may tell that
 * the state is left.
 */
export class AskedWork {
  readonly #journal: JournalIndex;
  readonly #failure: HostFailure;
  /** Few at a time: a map that is emptied at each node makes its table anew. */
  readonly #asked: { readonly key: string; readonly begin: () => void }[] = [];

  constructor(journal: JournalIndex, failure: HostFailure) {
    this.#journal = journal;
    this.#failure = failure;
  }

  add(key: string, begin: () => void): void {
    this.#journal.ask(key);
    this.#asked.push({ key, begin });
  }

  /** Its outcome is in the journal. */
  delete(key: string): void {
    const index = this.#asked.findIndex((asked) => asked.key === key);
    if (index >= 0) this.#asked.splice(index, 1);
  }

  /**
   * Begins what these keys have asked for; false when there was nothing.
   * @throws {WorkflowError} `JOURNAL_DIVERGED` when the journal holds outcomes that the machine has not asked for.
   */
  begin(pending: ReadonlyMap<string, unknown>): boolean {
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
      asked.begin(); // it may add what a workflow in it asks for
    }
    return begun;
  }
}
