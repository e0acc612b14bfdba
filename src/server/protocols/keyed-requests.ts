import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { sha256 } from '../../core/util/sha256.ts';

/** Maximum number of known keys; the oldest is dropped first. */
const maxKeys = 10_000;

/** Results of requests by their Idempotency-Key. Equal requests at the same time share one result. */
export class KeyedRequests<TResult> {
  readonly #known = new Map<string, { readonly body: Promise<string>; readonly result: Promise<TResult> }>();

  /**
   * Makes the result of a key once. A failed attempt is forgotten, so that the request can be repeated.
   *
   * @throws {WorkflowError} `RUN_EXISTS` for a key that was used with another body.
   */
  async once(key: string | undefined, body: Json, make: () => Promise<TResult>): Promise<TResult> {
    if (key === undefined) return make();
    const given = sha256(canonicalJson(body));
    const known = this.#known.get(key);
    if (known) {
      if ((await known.body) === (await given)) return known.result;
      throw new WorkflowError({
        code: 'RUN_EXISTS',
        message: 'The Idempotency-Key was used for another request.',
        hint: 'Give the new request another key.',
      });
    }
    const result = make();
    this.#known.set(key, { body: given, result });
    result.catch(() => this.#known.delete(key));
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKeys && oldest !== undefined) this.#known.delete(oldest);
    return result;
  }
}
