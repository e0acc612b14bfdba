import type { ApiError } from '../api/api-error.ts';
import { ApiFailure } from './api-failure.ts';

export interface SenderOptions {
  readonly baseUrl: string;
  readonly token?: string | undefined;
  readonly fetch: typeof fetch;
}

/** Sends a request to the API. @throws {ApiFailure} for an error response. */
export type Send = (path: string, init?: RequestInit & { readonly headers?: Record<string, string> }) => Promise<Response>;

export function sender({ baseUrl, token, fetch: given }: SenderOptions): Send {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return async (path, init = {}) => {
    const headers = { ...authorization, ...init.headers };
    const response = await given(new URL(path, baseUrl), { credentials: 'same-origin', ...init, headers });
    if (response.ok) return response;
    const body = (await response.json().catch(() => undefined)) as Partial<ApiError> | undefined;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new ApiFailure(response.status, body, Number.isFinite(seconds) ? 1000 * seconds : undefined);
  };
}

/** URL path of a route, with its parameters and query. */
export function pathOf(
  route: string,
  { params = {}, query = {} }: { readonly params?: Readonly<Record<string, string>>; readonly query?: Readonly<Record<string, unknown>> },
): string {
  const path = route.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const search = new URLSearchParams(Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])));
  return search.size > 0 ? `${path}?${search}` : path;
}
