import { Refusal } from './refusal.ts';

/** Which names this server goes by: `host:port`, as browsers send them. */
export type AllowedHosts = readonly string[] | (() => readonly string[]);

/**
 * Refuses what was not sent to one of our own names, or was sent by somebody else's page: a name of an attacker may lead to this address, and
 * every page of every browser may knock here.
 *
 * @throws {Refusal} 421, 403.
 */
export function checkOrigin(request: Request, hosts: AllowedHosts): void {
  const { headers } = request;
  const host = hostOf(request);
  const allowed = typeof hosts === 'function' ? hosts() : hosts;
  if (!allowed.includes(host)) {
    throw new Refusal({
      status: 421,
      code: 'HOST_NOT_ALLOWED',
      message: 'This server does not go by that name.',
      hint: 'Ask it by the address that it has printed.',
    });
  }
  const origin = headers.get('origin');
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) throw foreign('Another site has sent this request.');
}

/** The name by which a request calls us, with the port. */
export const hostOf = ({ headers, url }: Request): string => (headers.get('host') ?? new URL(url).host).toLowerCase();

/** Refuses what a browser says another site has caused. @throws {Refusal} 403. */
export function checkSite({ headers }: Request): void {
  const site = headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return;
  throw foreign('Another site has caused this request.');
}

const foreign = (message: string): Refusal => new Refusal({ status: 403, code: 'ORIGIN_NOT_ALLOWED', message });
