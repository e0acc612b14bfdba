import { canonicalJson } from '../../core/util/canonical-json.ts';
import { sha256 } from '../../core/util/sha256.ts';

/** One message of a conversation, as a client sends it back. */
export interface HistoryMessage {
  readonly role: string;
  readonly content: string;
}

/** Maximum number of known conversations; the oldest is dropped first. */
const maxTips = 10_000;

/**
 * Finds the thread of a history. Clients of chat completions send the whole history, without a conversation id. The key is a hash of the
 * messages, so an edited history matches no thread.
 */
export class ThreadTips {
  readonly #threads = new Map<string, readonly string[]>();

  /** Removes and returns the thread whose history ends here, until `put` adds it again. */
  async take(model: string, history: readonly HistoryMessage[]): Promise<string | undefined> {
    // Decision 281: the history is only a key; its text never enters a run.
    const key = await keyOf(model, history);
    const [thread, ...others] = this.#threads.get(key) ?? [];
    if (others.length > 0) this.#threads.set(key, others);
    else this.#threads.delete(key);
    return thread;
  }

  async put(model: string, history: readonly HistoryMessage[], threadId: string): Promise<void> {
    const key = await keyOf(model, history);
    this.#threads.set(key, [...(this.#threads.get(key) ?? []), threadId]);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > maxTips && oldest !== undefined) this.#threads.delete(oldest);
  }
}

const keyOf = (model: string, history: readonly HistoryMessage[]): Promise<string> =>
  sha256(canonicalJson([model, history.map(({ role, content }) => [role, withoutEdges(content)])]));

/** Clients trim texts, and change line ends and the spaces before them. */
const withoutEdges = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
