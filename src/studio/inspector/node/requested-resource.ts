import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Requested resource, or the status that rejects the request. */
export type RequestedResource =
  | { readonly for: 'page' }
  | { readonly for: 'feed'; readonly run: string | undefined }
  | { readonly refused: 400 | 403 | 404 | 405 };

export interface ServerAccess {
  readonly token: string;
  readonly port: number;
}

/**
 * Checks a request. Any web page in a browser can send requests to the loopback interface, even under its own host name. The server
 * therefore accepts only its own host names, its own page as origin, and the token.
 */
export function requestedResource({ method, url = '', headers }: IncomingMessage, { token, port }: ServerAccess): RequestedResource {
  if (!isOurHost(headers.host, port)) return { refused: 403 };
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return { refused: 403 };
  const { 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return { refused: 403 };
  if (method !== 'GET') return { refused: 405 };
  const { path, query } = split(url);
  const rest = withoutToken(path, token);
  if (rest === '/') return { for: 'page' };
  if (rest !== '/feed') return { refused: 404 };
  const run = new URLSearchParams(query).get('run') ?? undefined;
  return run !== undefined && run.length > longestId ? { refused: 400 } : { for: 'feed', run };
}

/** True if an app may connect: from Node, without an origin, or from a page of this machine. It needs the token in both cases. */
export function mayConnect({ method, url = '', headers }: IncomingMessage, { token, port }: ServerAccess): boolean {
  const { origin, host } = headers;
  if (method !== 'GET' || !isOurHost(host, port) || withoutToken(split(url).path, token) !== '/') return false;
  return origin === undefined || /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/.test(origin);
}

/** Maximum length of a run's id, or an actor's id with its connection. */
const longestId = 300;

const isOurHost = (host: string | undefined, port: number): boolean => host === `127.0.0.1:${port}` || host === `localhost:${port}`;

/** Splits without a URL parser, which would resolve `..` before the path is compared. */
function split(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** Returns the path after the token; `undefined` if the token is wrong. */
function withoutToken(path: string, token: string): string | undefined {
  const [given, expected] = [Buffer.from(path.slice(1, 1 + token.length)), Buffer.from(token)];
  if (path[0] !== '/' || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return path.slice(1 + token.length);
}
