import type { Awaitable } from '../../core/ports/run-store.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { tooMany } from './refusal.ts';

/**
 * Slows down an address that sends wrong tokens. At its limit, all its tokens are rejected unchecked, so a correct guess is not revealed.
 */
export class TokenGuesses {
  readonly #rate: RateLimiter;
  /** Lookups in progress: concurrent requests with the same token count as one guess. */
  readonly #checking = new Map<string, Promise<string | undefined>>();

  constructor(rate: RateLimiter) {
    this.#rate = rate;
  }

  /**
   * Looks up a token.
   *
   * @param address Peer address. Absent: unknown, and nothing is counted.
   * @throws {Refusal} 429 for an address that has sent too many wrong tokens.
   */
  async tenantOf(
    token: string,
    address: string | undefined,
    look: (token: string) => Awaitable<string | undefined>,
  ): Promise<string | undefined> {
    if (address === undefined) return look(token);
    const network = networkOf(address);
    const key = `${network} ${token}`;
    const known = this.#checking.get(key);
    if (known) return known;
    const waitMs = this.#rate.take(network);
    if (waitMs > 0) throw tooMany('TOO_MANY_REQUESTS', 'Too many wrong tokens came from this address.', waitMs);
    const checking = this.#check(token, network, look).finally(() => this.#checking.delete(key));
    this.#checking.set(key, checking);
    return checking;
  }

  async #check(token: string, network: string, look: (token: string) => Awaitable<string | undefined>): Promise<string | undefined> {
    let isWrong = false;
    try {
      const tenant = await look(token);
      isWrong = tenant === undefined;
      return tenant;
    } finally {
      if (!isWrong) this.#rate.giveBack(network);
    }
  }
}

/** Network of an address: a host owns a whole IPv6 /64. Different spellings of an address are equal. */
function networkOf(address: string): string {
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (ipv4?.[1]) return ipv4[1];
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after].map((group) => group.replace(/^0+(?=.)/, ''));
  if (all.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return all.slice(0, 4).join(':');
  const bytes = all.slice(6).map((group) => Number.parseInt(group, 16));
  return bytes.flatMap((two) => [two >> 8, two & 255]).join('.');
}
