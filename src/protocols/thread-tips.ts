import { canonicalJson } from '../util/canonical-json.ts';

/** A turn of a conversation, as a client sends it back. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Conversations that are known; the oldest is forgotten first. */
const maxTips = 10_000;

/**
 * Which thread a history is of. A client of chat completions has no id of the conversation: it sends all that was said. It is told from
 * what this server has said itself, so a history that somebody has changed is of no thread.
 */
export class ThreadTips {
  readonly #threads = new Map<string, readonly string[]>();

  /** The thread whose last word that is; it is another's after this, until `put`. */
  async take(model: string, said: readonly Said[]): Promise<string | undefined> {
    const key = await keyOf(model, said);
    const [thread, ...others] = this.#threads.get(key) ?? [];
    if (others.length > 0) this.#threads.set(key, others);
    else this.#threads.delete(key);
    return thread;
  }

  async put(model: string, said: readonly Said[], threadId: string): Promise<void> {
    const key = await keyOf(model, said);
    this.#threads.set(key, [...(this.#threads.get(key) ?? []), threadId]);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > maxTips && oldest !== undefined) this.#threads.delete(oldest);
  }
}

async function keyOf(model: string, said: readonly Said[]): Promise<string> {
  const text = canonicalJson([model, said.map(({ role, content }) => [role, content])]);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
