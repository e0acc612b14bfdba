import { BlockList } from 'node:net';
import { type AddressRules, isPublicAddress } from 'agent-machines/tools/node';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveAllowed } from '../../../../src/tools/web/address-check.ts';

// Written from the IANA registries of special addresses, not from the library that the code uses.
const blockedIpv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
const blockedIpv6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

// Two lists: a Node list also compares an IPv4 address with IPv6 ranges, ::/3 among them.
const blocked = { ipv4: listOf(blockedIpv4, 'ipv4'), ipv6: listOf(blockedIpv6, 'ipv6') };

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

const hostOf = (spelling: string): string => new URL(`https://${spelling}/`).hostname.replace(/^\[|\]$/g, '');

const bytesOf = (address: number): number[] => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255);
const dotted = (address: number): string => bytesOf(address).join('.');

const ipv4Spellings: readonly ((address: number) => string)[] = [
  dotted,
  String,
  (address) => `0x${address.toString(16)}`,
  (address) => `0${address.toString(8)}`,
  (address) =>
    bytesOf(address)
      .map((byte) => `0x${byte.toString(16)}`)
      .join('.'),
  (address) =>
    bytesOf(address)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  (address) => `${address >>> 24}.${address & 0xffffff}`,
  (address) => `${address >>> 24}.${(address >>> 16) & 255}.${address & 0xffff}`,
  (address) => `${dotted(address)}.`,
  (address) => [...dotted(address)].map((c) => (c === '.' ? '。' : String.fromCodePoint(c.charCodeAt(0) + 0xfee0))).join(''),
];

const groupsOf = (address: bigint): number[] =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => Number((address >> shift) & 0xffffn));
const plain = (address: bigint): string =>
  groupsOf(address)
    .map((group) => group.toString(16))
    .join(':');

const ipv6Spellings: readonly ((address: bigint) => string)[] = [
  plain,
  (address) => plain(address).toUpperCase(),
  (address) =>
    groupsOf(address)
      .map((group) => group.toString(16).padStart(4, '0'))
      .join(':'),
  (address) => plain(address).replace(/(^|:)0(:0)*(:|$)/, '::'),
  (address) =>
    `${groupsOf(address)
      .slice(0, 6)
      .map((group) => group.toString(16))
      .join(':')}:${dotted(Number(address & 0xffffffffn))}`,
];

// A random address is hardly ever near the end of a range, where the mistakes are.
const ipv4 = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(...blockedIpv4.flatMap((range) => edges(toNumber(range), 32).map(Number))),
);
const ipv6 = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  fc.bigInt({ min: 0x2000n << 112n, max: (0x4000n << 112n) - 1n }),
  fc.constantFrom(...blockedIpv6.flatMap((range) => edges(toBigInt(range), 128))),
  // IPv4 addresses inside IPv6 ones: compatible, mapped, translated, NAT64, 6to4
  fc
    .tuple(fc.constantFrom(0n, 0xffffn << 32n, 0xffffn << 48n, 0x64ff9bn << 96n, 0x2002n << 112n), ipv4)
    .map(([prefix, address]) => prefix | (BigInt(address) << (prefix >> 112n === 0x2002n ? 80n : 0n))),
);

function edges([first, bits]: readonly [bigint, number], width: number): bigint[] {
  const last = first + (1n << BigInt(width - bits)) - 1n;
  return [first - 1n, first, last, last + 1n].filter((address) => address >= 0n && address < 1n << BigInt(width));
}

function toNumber(range: string): readonly [bigint, number] {
  const [network = '', prefix] = range.split('/');
  return [network.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n), Number(prefix)];
}

function toBigInt(range: string): readonly [bigint, number] {
  const [network = '', prefix] = range.split('/');
  const groups = network.replace(/::$/, '').split(':').filter(Boolean);
  return [groups.reduce((sum, group, i) => sum | (BigInt(`0x${group}`) << BigInt(112 - 16 * i)), 0n), Number(prefix)];
}

const isIsatap = (address: bigint): boolean => ((address >> 32n) & 0xfdffffffn) === 0x5efen;

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.0',
    '168.63.129.15',
    '2606:4700::1111',
    '2a00:1450:4001:81b::200e',
  ])('allows the public address %s', (ip) => expect(isPublicAddress(ip)).toBe(true));

  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '100.64.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254'],
    ...['100.100.100.200', '192.0.0.192', '168.63.129.16', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '198.18.0.1'],
    ...['::', '::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', '2001:db8::1', '100::1', '4000::1', '3fff::1', '5f00::1'],
    ...['::ffff:169.254.169.254', '::ffff:7f00:1', '::ffff:8.8.8.8', '::7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::a9fe:a9fe', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:808:808::1', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
    ...['2a00:1450::5efe:7f00:1', '2a00:1450::200:5efe:a00:1'],
  ])('refuses %s', (ip) => expect(isPublicAddress(ip)).toBe(false));

  it.each([
    '',
    'example.com',
    '127.1',
    '0x8.8.8.8',
    '134744072',
    '08.8.8.8',
    ' 8.8.8.8',
    '8.8.8.8.',
    '[2606:4700::1111]',
    '2606:4700::1111%eth0',
    '8.8.8.8/32',
  ])('refuses %j, which is not an address in its usual spelling', (text) => expect(isPublicAddress(text)).toBe(false));

  it('agrees with the table of blocked ranges for every IPv4 address in any spelling', () => {
    fc.assert(
      fc.property(ipv4, fc.constantFrom(...ipv4Spellings), (address, spell) => {
        expect(isPublicAddress(hostOf(spell(address)))).toBe(!blocked.ipv4.check(dotted(address)));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with the table of blocked ranges for every IPv6 address in any spelling', () => {
    fc.assert(
      fc.property(ipv6, fc.constantFrom(...ipv6Spellings), (address, spell) => {
        const isBlocked = blocked.ipv6.check(plain(address), 'ipv6') || isIsatap(address);
        expect(isPublicAddress(spell(address))).toBe(!isBlocked);
        expect(isPublicAddress(hostOf(`[${spell(address)}]`))).toBe(!isBlocked);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('resolveAllowed', () => {
  const never = new AbortController().signal;

  function rules(given: Partial<AddressRules> = {}): AddressRules & { readonly asked: string[] } {
    const asked: string[] = [];
    const lookup = async (hostname: string): Promise<readonly string[]> => {
      asked.push(hostname);
      return ['93.184.216.34'];
    };
    return { allowHttp: true, allowedPorts: [], lookup, isAllowedAddress: isPublicAddress, asked, ...given };
  }

  it('returns all addresses of a public host', async () => {
    const lookup = async () => ['93.184.216.34', '2606:4700::1111'];
    expect(await resolveAllowed(new URL('https://example.com/'), rules({ lookup }), never)).toEqual(['93.184.216.34', '2606:4700::1111']);
  });

  it('does not look up an address', async () => {
    const given = rules();
    expect(await resolveAllowed(new URL('https://[2606:4700::1111]/'), given, never)).toEqual(['2606:4700::1111']);
    expect(given.asked).toEqual([]);
  });

  it.each([
    ...[
      'localhost',
      'localhost.',
      'LOCALHOST',
      'a.localhost',
      'example.com.',
      'intranet',
      'printer.local',
      'metadata',
      'metadata.google.internal',
    ],
    ...['metadata.google.internal.', 'metadata.goog', 'router.home.arpa', 'wiki.corp', '%6cocalhost', 'ｌｏｃａｌｈｏｓｔ'],
  ])('refuses the name %s without looking it up', async (host) => {
    const given = rules();
    await expect(resolveAllowed(new URL(`http://${host}/`), given, never)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(given.asked).toEqual([]);
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['one private address among public ones', ['93.184.216.34', '2606:4700::1111', '192.168.0.1']],
    ['a private IPv6 address behind a public IPv4 one', ['93.184.216.34', 'fd00::1']],
    ['something that is not an address', ['example.com']],
  ])('refuses a name that resolves to %s, without naming the address', async (_what, addresses) => {
    const thrown = resolveAllowed(new URL('https://example.com/'), rules({ lookup: async () => addresses }), never);
    const error: unknown = await thrown.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'ADDRESS_NOT_ALLOWED', retryable: false });
    expect(JSON.stringify(error)).not.toMatch(/10\.0|192\.168|fd00/);
  });

  it('fails for a name without an address', async () => {
    const thrown = resolveAllowed(new URL('https://example.com/'), rules({ lookup: async () => [] }), never);
    await expect(thrown).rejects.toMatchObject({ code: 'FETCH_FAILED' });
  });

  it('throws the reason of an abort, before and during the lookup', async () => {
    const caller = new AbortController();
    const reason = { why: 'the user left' };
    const hangs = rules({ lookup: () => new Promise(() => caller.abort(reason)) });
    await expect(resolveAllowed(new URL('https://example.com/'), hangs, caller.signal)).rejects.toBe(reason);
    await expect(resolveAllowed(new URL('https://example.com/'), hangs, caller.signal)).rejects.toBe(reason);
  });
});
