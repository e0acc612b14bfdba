import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { pause } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { storeUnavailable } from '../../engine/store/store-errors.ts';

export interface IngressOptions {
  /** Address of Restate's ingress. @example 'http://localhost:8080' */
  readonly ingress: string;
  /** Headers of every request, for example `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default fetch */
  readonly fetch?: typeof fetch;
  /**
   * Time limit of the retries while the server is unreachable, in milliseconds. The wait for a run's result has no limit.
   * @default 30_000
   */
  readonly patienceMs?: number;
  /** @default the system clock */
  readonly clock?: Clock;
}

const policy = { firstDelayMs: 20, longestDelayMs: 1_000 };
/** True for a status that is worth a retry: the server is unavailable or overloaded. */
const isPassing = (status: number): boolean => status >= 500 || status === 429 || status === 408;

export interface Ingress {
  /** Calls a handler. With a `key`, repeated calls run the handler once. */
  call<T>(path: readonly string[], body?: unknown, key?: string, signal?: AbortSignal): Promise<T>;
  /** True when an invocation has a result. */
  isOver(invocation: string, signal: AbortSignal): Promise<boolean>;
  /** Runs a SQL query on the admin API. */
  ask(admin: string | undefined, query: string): Promise<readonly JsonObject[]>;
}

/** Client of Restate's HTTP interface. */
export function restateIngress(options: IngressOptions): Ingress {
  const { ingress, headers = {}, fetch: given = fetch, patienceMs = 30_000, clock = systemClock } = options;
  const post = async (
    address: string,
    body: string | undefined,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<string> => {
    const giveUpAt = clock.monotonic() + patienceMs;
    for (let tried = 1; ; tried++) {
      let cause: unknown;
      try {
        const init = {
          method: 'POST',
          headers: { ...headers, ...more },
          ...(body === undefined ? {} : { body }),
          ...(signal ? { signal } : {}),
        };
        const response = await given(address, init);
        const text = await response.text();
        if (response.ok) return text;
        cause = new Error(`${response.status} ${text.slice(0, 500)}`);
        if (!isPassing(response.status)) throw storeUnavailable(address, cause);
      } catch (thrown) {
        if (WorkflowError.isInstance(thrown) || signal?.aborted) throw thrown;
        cause = thrown;
      }
      if (clock.monotonic() >= giveUpAt) throw storeUnavailable(address, cause);
      await pause(growingDelay(tried, policy), clock, signal);
    }
  };
  const base = ingress.replace(/\/+$/, '');
  return {
    async call<T>(path: readonly string[], body?: unknown, key?: string, signal?: AbortSignal): Promise<T> {
      const address = `${base}/${path.map(encodeURIComponent).join('/')}`;
      const more = {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      };
      const text = await post(address, body === undefined ? undefined : JSON.stringify(body), more, signal);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    async isOver(invocation, signal) {
      try {
        const response = await given(`${base}/restate/invocation/${encodeURIComponent(invocation)}/output`, { headers, signal });
        await response.text();
        return response.ok; // 470 means not ready
      } catch {
        return false;
      }
    },
    async ask(admin, query) {
      if (admin === undefined) {
        throw optionInvalid(
          "Lists of runs need the address of Restate's admin API.",
          "Pass restateRuns({ …, admin: 'http://localhost:9070' }).",
          'admin',
        );
      }
      const address = `${admin.replace(/\/+$/, '')}/query`;
      const text = await post(
        address,
        JSON.stringify({ query }),
        { 'content-type': 'application/json', accept: 'application/json' },
        undefined,
      );
      return (JSON.parse(text) as { readonly rows: readonly JsonObject[] }).rows;
    },
  };
}
