import type * as z from 'zod';
import { WorkflowError } from '../../errors.ts';
import type { GuardedFetch, GuardedRequest } from './guarded-fetch.ts';

/** Why a tool may not use the network; `undefined` = it may. */
export const whyOffline = (allowNet: boolean | undefined): string | undefined =>
  allowNet === true ? undefined : 'Network access is off; allow it with --allow-net.';

/** A call of a tool to the JSON service that it stands for. */
export interface JsonCall<T> extends GuardedRequest {
  readonly fetch: GuardedFetch;
  /** Its name, for messages. */
  readonly service: string;
  readonly url: string;
  /** Loads what the answer must be. */
  readonly schema: () => Promise<z.ZodType<T>>;
  /** An answer that contains it is refused. */
  readonly apiKey?: string;
  /** Why the call cannot be made; `undefined` = it can. */
  readonly unavailable: string | undefined;
}

/**
 * Calls a JSON service and checks the shape of its answer.
 *
 * @throws {WorkflowError} `TOOL_UNAVAILABLE` before anything is sent, `TOOL_FAILED` for an answer of another shape, and all
 *   that `GuardedFetch` throws.
 */
export async function fetchJson<T>({ fetch, service, url, schema, apiKey, unavailable, ...request }: JsonCall<T>): Promise<T> {
  if (unavailable !== undefined) {
    throw new WorkflowError({ code: 'TOOL_UNAVAILABLE', message: unavailable, hint: 'Do without this tool, or make it available.' });
  }
  const unexpected = (what: string): WorkflowError =>
    new WorkflowError({ code: 'TOOL_FAILED', message: `${service} gave an unexpected answer: ${what}.`, hint: 'Try another tool.' });
  const { text } = await fetch(url, request);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw unexpected('it is not JSON');
  }
  const parsed = (await schema()).safeParse(json);
  if (!parsed.success) throw unexpected((await import('zod')).prettifyError(parsed.error));
  if (apiKey && JSON.stringify(parsed.data).includes(apiKey)) throw unexpected('it contains the API key');
  return parsed.data;
}
