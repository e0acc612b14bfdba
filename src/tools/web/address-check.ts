import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { WorkflowError } from '../../core/errors/errors.ts';
import { untilAborted } from '../../core/util/until-aborted.ts';

/** Rules for hosts that may be contacted; the defaults are those of `createGuardedFetch`. */
export interface AddressRules {
  /** Allows `http:` URLs. @default false */
  readonly allowHttp: boolean;
  /** Allowed ports besides 443 (and 80 for `http:`). @default [] */
  readonly allowedPorts: readonly number[];
  /** Resolves a host name to IP addresses; called once per request. Default: the system's resolver. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>;
  /** True for an allowed IP address. Default: `isPublicAddress`. */
  readonly isAllowedAddress: (ip: string) => boolean;
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

// Domains that only a local network resolves, and `metadata.goog`, the public twin of `metadata.google.internal`.
const localDomains = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'metadata.goog',
];

// Azure's metadata service, the only one with a public address.
const metadataAddress = '168.63.129.16';

/**
 * True for an address that is reachable from the whole internet. False for a private, local, reserved or metadata address, and for an IPv6
 * address that represents an IPv4 one (mapped, compatible, 6to4, NAT64, Teredo, ISATAP).
 *
 * @example isPublicAddress('10.0.0.1') // false
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? isGlobalIpv6(address.parts) : ip !== metadataAddress;
}

// ipaddr.js reports `unicast` for any unnamed range, including ::a.b.c.d; only 2000::/3 of IPv6 is assigned.
function isGlobalIpv6(groups: readonly number[]): boolean {
  const [first = 0, , , , fifth = 0, sixth] = groups;
  const isIsatap = (fifth & ~0x0200) === 0 && sixth === 0x5efe;
  return first >> 13 === 1 && !isIsatap;
}

/**
 * Resolves the addresses of a URL's host; all of them must be allowed.
 *
 * @throws {WorkflowError} `ADDRESS_NOT_ALLOWED` for a rejected scheme, port, user name, host name or address; `FETCH_FAILED` for a host
 * without an address. An aborted `signal` throws its reason.
 */
export async function resolveAllowed(url: URL, rules: AddressRules, signal: AbortSignal): Promise<readonly string[]> {
  checkUrl(url, rules);
  const host = url.hostname.replace(/^\[|\]$/g, ''); // removes the brackets of an IPv6 address
  const isAddress = isIP(host) !== 0;
  if (!isAddress && isLocalName(host)) throw hostNotAllowed(host);
  const addresses = isAddress ? [host] : await untilAborted(rules.lookup(host), signal);
  if (addresses.length === 0) {
    throw new WorkflowError({ code: 'FETCH_FAILED', message: `${host} has no address.`, hint: 'Check the host name.' });
  }
  if (!addresses.every((ip) => rules.isAllowedAddress(ip))) throw hostNotAllowed(host);
  return addresses;
}

/** Returns the checked addresses, so that the name is not resolved again. Requires `autoSelectFamily`, with which Node accepts a list. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const list = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, list);
}

function checkUrl({ protocol, username, password, port }: URL, { allowHttp, allowedPorts }: AddressRules): void {
  const defaultPort = defaultPorts[protocol];
  if (defaultPort === undefined || (protocol === 'http:' && !allowHttp)) {
    throw notAllowed(`The scheme "${protocol}" is not allowed.`, allowHttp ? 'Use an http: or https: URL.' : 'Use an https: URL.');
  }
  if (username !== '' || password !== '') {
    throw notAllowed('A URL with a user name or a password is not allowed.', 'Remove the part before the "@".');
  }
  if (port !== '' && !allowedPorts.includes(Number(port))) {
    throw notAllowed(`Port ${port} is not allowed for ${protocol} URLs.`, `Use port ${defaultPort}.`);
  }
}

// The local network completes a name without a dot; a trailing dot is a second spelling of another name.
const isLocalName = (name: string): boolean =>
  !name.includes('.') || name.endsWith('.') || localDomains.some((domain) => name === domain || name.endsWith(`.${domain}`));

// Hides the address of the host, which would reveal the local network to an untrusted caller.
const hostNotAllowed = (host: string): WorkflowError => notAllowed(`"${host}" is not a public host.`, 'Use a host on the public internet.');

const notAllowed = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'ADDRESS_NOT_ALLOWED', message, hint });
