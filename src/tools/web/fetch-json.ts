import type * as z from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import type { GuardedFetch, GuardedRequest } from './guarded-fetch.ts';

/** Returns the reason why a tool may not use the network; `undefined` if it may. */
export const networkProblem = (allowNet: boolean | undefined): string | undefined =>
  allowNet === true ? undefined : 'Network access is off. Allow it with --allow-net.';

/** Request of a tool to its JSON service. */
export interface JsonCall<T> extends GuardedRequest {
  readonly fetch: GuardedFetch;
  /** Name of the service in messages. */
  readonly service: string;
  readonly url: string;
  /** Loads the schema of the answer. */
  readonly schema: () => Promise<z.ZodType<T>>;
  /** API key; an answer that contains it is rejected. */
  readonly apiKey?: string;
  /** Reason why the call cannot be made; `undefined` if it can. */
  readonly unavailable: string | undefined;
}

/**
 * Calls a JSON service and checks the shape of its answer.
 *
 * @throws {WorkflowError} `TOOL_UNAVAILABLE` before anything is sent, `TOOL_FAILED` for an answer of another shape, and all errors of
 * `GuardedFetch`.
 */
export async function fetchJson<T>({ fetch, service, url, schema, apiKey, unavailable, ...request }: JsonCall<T>): Promise<T> {
  if (unavailable !== undefined) {
    throw new WorkflowError({ code: 'TOOL_UNAVAILABLE', message: unavailable, hint: 'Continue without this tool, or make it available.' });
  }
  const unexpected = (what: string): WorkflowError =>
    new WorkflowError({ code: 'TOOL_FAILED', message: `${service} sent an unexpected answer: ${what}.`, hint: 'Try another tool.' });
  const { text } = await fetch(url, request);
  const json = parseJson(text);
  if (json === undefined) throw unexpected('it is not JSON');
  const parsed = (await schema()).safeParse(json);
  if (!parsed.success) throw unexpected((await import('zod')).prettifyError(parsed.error));
  if (apiKey && JSON.stringify(parsed.data).includes(apiKey)) throw unexpected('it contains the API key');
  return parsed.data;
}
