import { Refusal } from './refusal.ts';

/** Names of this server, as browsers send them: `host:port`. */
export type AllowedHosts = readonly string[] | (() => readonly string[]);

/**
 * Rejects a request that is not addressed to one of this server's names, or that another site's page sent. An attacker's domain may resolve
 * to this address (DNS rebinding), and any page in any browser can send requests here.
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
      message: 'This server does not serve that host name.',
      hint: 'Use the address that the server printed.',
    });
  }
  const origin = headers.get('origin');
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) throw foreign('Another site sent this request.');
}

/** Host name that the request was sent to, with the port. */
export const hostOf = ({ headers, url }: Request): string => (headers.get('host') ?? new URL(url).host).toLowerCase();

/** Rejects a request that, according to the browser, another site caused. @throws {Refusal} 403. */
export function checkSite({ headers }: Request): void {
  const site = headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return;
  throw foreign('Another site caused this request.');
}

const foreign = (message: string): Refusal => new Refusal({ status: 403, code: 'ORIGIN_NOT_ALLOWED', message });
