import type { Clock } from '../../core/ports/clock.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import { hostOf } from './check-origin.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { notAuthenticated } from './refusal.ts';
import { TokenGuesses } from './token-guesses.ts';

/** Tenant of a token, and a name for the log of actions, `[A-Za-z0-9_-]{1,64}`. */
interface NamedToken {
  readonly tenant: string;
  readonly name: string;
}

/**
 * Accepted tokens: a single tenant's token, a map from token to tenant, or a function that resolves a token. A token in a map may have a
 * name, which the log of actions shows.
 */
export type Tokens = string | Readonly<Record<string, string | NamedToken>> | ((token: string) => Awaitable<string | undefined>);

/** Tenant of a request, with the name of its token. */
export interface Principal {
  readonly tenant: string;
  readonly name?: string;
}

/** Cookies are not separated by port. Without the port in the name, two servers on one machine would overwrite each other's cookie. */
function cookieNameOf(host: string): string {
  const [, port] = /:(\d{1,5})$/.exec(host) ?? [];
  return port === undefined ? 'agent_machines_session' : `agent_machines_session_${port}`;
}
const sessionMs = 12 * 60 * 60 * 1000;
const onlyTenant = 'local';
const tenantGrammar = /^[A-Za-z0-9_-]{1,64}$/;
/** `tenant`, or `tenant.name` for a token with a name. */
const principalGrammar = /^([A-Za-z0-9_-]{1,64})(?:\.([A-Za-z0-9_-]{1,64}))?$/;

/**
 * Checks tokens, and the sessions that clients exchange them for. Sessions are signed, not stored, so they survive a restart with the same
 * tokens.
 */
export class Authenticator {
  readonly #tenantOf: (token: string) => Awaitable<string | undefined>;
  readonly #key: Promise<CryptoKey>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #guesses: TokenGuesses;

  constructor(tokens: Tokens, clock: Pick<Clock, 'now'>, wrongTokens: RateLimiter) {
    this.#guesses = new TokenGuesses(wrongTokens);
    this.#tenantOf =
      typeof tokens === 'function' ? onlyTenants(tokens) : listed(typeof tokens === 'string' ? { [tokens]: onlyTenant } : tokens);
    this.#key = importKey(typeof tokens === 'function' ? crypto.getRandomValues(new Uint8Array(32)) : secretOf(tokens));
    this.#clock = clock;
  }

  /** @throws {Refusal} 401; 429 for an address that has sent too many wrong tokens. */
  async admit(request: Request, address: string | undefined): Promise<Principal> {
    const { headers } = request;
    const authorization = headers.get('authorization') ?? apiKeyOf(request);
    const principal =
      authorization === null
        ? await this.#principalOfSession(cookieOf(headers.get('cookie') ?? '', cookieNameOf(hostOf(request))))
        : await this.principalOf(bearerOf(authorization), address);
    if (principal) return principal;
    throw notAuthenticated();
  }

  /** @throws {Refusal} 429 for an address that has sent too many wrong tokens. */
  async principalOf(token: string | undefined, address: string | undefined): Promise<Principal | undefined> {
    return toPrincipal(token === undefined ? undefined : await this.#guesses.tenantOf(token, address, this.#tenantOf));
  }

  /** Value of `Set-Cookie` for a session that replaces the token. A page under https gets one that is never sent in clear. */
  async sessionCookie({ tenant, name }: Principal, request: Request): Promise<string> {
    const content = `${tenant}.${name === undefined ? '' : `${name}.`}${this.#clock.now() + sessionMs}`;
    const mac = await crypto.subtle.sign('HMAC', await this.#key, new TextEncoder().encode(content));
    // behind a proxy the URL is http, but the browser names its page's origin
    const isSecure = [request.headers.get('origin'), request.url].some((address) => address?.startsWith('https://'));
    const value = `${content}.${toHex(mac)}`;
    return `${cookieNameOf(hostOf(request))}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}${isSecure ? '; Secure' : ''}`;
  }

  async #principalOfSession(value: string | undefined): Promise<Principal | undefined> {
    const [, content = '', principal = '', expiry = '', mac = ''] =
      /^(([A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64})?)\.(\d{1,16}))\.([0-9a-f]{64})$/.exec(value ?? '') ?? [];
    if (mac === '' || Number(expiry) <= this.#clock.now()) return undefined;
    const bytes = Uint8Array.from(mac.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16));
    return (await crypto.subtle.verify('HMAC', await this.#key, bytes, new TextEncoder().encode(content)))
      ? toPrincipal(principal)
      : undefined;
  }
}

const bearerOf = (authorization: string | null): string | undefined => /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? '')?.[1];

/** Returns a function that is true for a request with the token. */
export function tokenCheck(token: string): (request: Request) => Promise<boolean> {
  const holderOf = listed({ [token]: onlyTenant });
  return async ({ headers }) => {
    const given = bearerOf(headers.get('authorization'));
    return given !== undefined && (await holderOf(given)) !== undefined;
  };
}

/** LangGraph's clients send their token in a header of its own. */
function apiKeyOf({ url, headers }: Request): string | null {
  const key = headers.get('x-api-key');
  return key === null || !new URL(url).pathname.startsWith('/api/langgraph/') ? null : `Bearer ${key}`;
}

/** A function returns a tenant, and no name. */
const onlyTenants =
  (resolve: (token: string) => Awaitable<string | undefined>) =>
  async (token: string): Promise<string | undefined> => {
    const tenant = await resolve(token);
    return tenant !== undefined && tenantGrammar.test(tenant) ? tenant : undefined;
  };

function toPrincipal(text: string | undefined): Principal | undefined {
  const [, tenant, name] = principalGrammar.exec(text ?? '') ?? [];
  return tenant === undefined ? undefined : { tenant, ...(name === undefined ? {} : { name }) };
}

/** Maximum number of tokens whose digest is not computed again. */
const maxKnown = 1_000;

/**
 * Compares the digests of all tokens, always to the end, so that timing reveals nothing about a token. Tokens that were right are
 * remembered: a digest is a hop through another thread. A wrong one never is, so guesses learn nothing and take no memory.
 */
function listed(tokens: Readonly<Record<string, string | NamedToken>>): (token: string) => Awaitable<string | undefined> {
  const known = Object.entries(tokens).map(([token, given]) => ({
    tenant: typeof given === 'string' ? given : `${given.tenant}.${given.name}`,
    digest: digestOf(token),
  }));
  const right = new Map<string, string>();
  const find = async (token: string): Promise<string | undefined> => {
    const given = await digestOf(token);
    let found: string | undefined;
    for (const { tenant, digest } of known) if (isEqual(given, await digest)) found = tenant;
    if (found !== undefined && right.size < maxKnown) right.set(token, found);
    return found;
  };
  return (token) => right.get(token) ?? find(token);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0;
}

const digestOf = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

/** Changing the list of tokens invalidates all sessions, so no session outlives a revoked token. */
const secretOf = (tokens: string | Readonly<Record<string, string | NamedToken>>): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`agent-machines session ${JSON.stringify(typeof tokens === 'string' ? tokens : Object.entries(tokens).sort())}`);

const importKey = (secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

const toHex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const cookieOf = (header: string, cookieName: string): string | undefined =>
  header
    .split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1);
