// Random inputs of each family of what must be refused: none is accepted, and none breaks anything. 10,000 of each in the deep mode.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRuntime, type JsonObject, type RunStore, type Tool, WorkflowError } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { arbitraryBrokenPlan } from 'agent-machines/testing/fast-check';
import { calculator, parsePlan, parseToolCall, toolSignature } from 'agent-machines/tools';
import { isPublicAddress, readFile } from 'agent-machines/tools/node';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { parseStrictJson } from '../../src/server/http/parse-strict-json.ts';
import { nameProblem } from '../../src/tools/mcp/remote-name.ts';
import { samePin } from '../../src/tools/mcp/tool-pins.ts';
import { resolveAllowed } from '../../src/tools/web/address-check.ts';
import { codePoint } from '../fixtures/code-point.ts';
import { final, logWorkflow, node, says } from '../fixtures/log-workflow.ts';
import { share } from '../fixtures/share.ts';

const numRuns = share(10_000, 200);
const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const context = { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 };

/** The code of the refusal; what is accepted, or breaks, has none. */
async function codeOf(work: () => unknown): Promise<string> {
  try {
    return `accepted: ${JSON.stringify(await work())}`;
  } catch (cause) {
    return WorkflowError.isInstance(cause) || cause instanceof Error ? ((cause as { code?: string }).code ?? String(cause)) : String(cause);
  }
}

const all = (property: fc.IAsyncProperty<[string]>): Promise<void> => Promise.resolve(fc.assert(property, { numRuns }));
const anyText = fc.oneof(fc.string(), fc.string({ unit: codePoint }), fc.string({ unit: 'grapheme' }));
/** What cannot be seen, or looks like another letter. */
const unseen = fc.constantFrom('\u200b', '\u202e', '\u{e0061}', '\ufeff', '\u0301', '\u00ad', '\u2060', '\0', ' ', '\n');

it('rejects invalid ids of runs and threads (B15)', async () => {
  const runtime = createRuntime();
  const workflow = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: says('a') } });
  const odd = fc.constantFrom(
    '../',
    '..',
    '%2e%2e',
    '\0',
    '/',
    '\\',
    '.',
    ' ',
    "'",
    '"',
    ';--',
    '한',
    'é',
    '\u200b',
    '__proto__/',
    '$',
    '{',
    '<',
  );
  const ids = fc.oneof(
    fc.tuple(fc.string(), odd, fc.string()).map((parts) => parts.join('')),
    fc.string({ minLength: 65, maxLength: 12_000, unit: fc.constantFrom('a', '_', '-') }),
    fc.constant(''),
  );
  await all(
    fc.asyncProperty(ids, async (id) => {
      expect(await codeOf(() => runtime.start(workflow, {}, { runId: id }).id)).toBe('ID_INVALID');
      expect(await codeOf(() => runtime.start(workflow, {}, { threadId: id }).id)).toBe('ID_INVALID');
    }),
  );
  expect(await runtime.list()).toEqual([]);
  await runtime.close();
});

it('rejects paths out of the folder, or to denied files in it (B27 to B32)', async () => {
  const root = join(folder, 'data');
  mkdirSync(join(root, 'docs/.ssh'), { recursive: true });
  mkdirSync(join(folder, 'data-secret'));
  for (const place of ['data-secret/x', 'x', 'data/.env', 'data/docs/.ssh/id', 'data/key.pem'])
    writeFileSync(join(folder, place), 'SECRET');
  symlinkSync('..', join(root, 'up'));
  symlinkSync('/', join(root, 'top'));
  const tool = readFile({ root });
  const start = fc.constantFrom(
    '../',
    '..\\',
    '/',
    '~/',
    'file://',
    '\\\\?\\',
    'C:\\',
    'up/',
    'top/',
    'docs/../../',
    '%2e%2e/',
    './../',
    '../data/../',
  );
  const rest = fc.constantFrom('x', 'data-secret/x', 'etc/passwd', 'proc/self/environ', 'dev/zero', '.env', 'tmp', 'data/.env', '');
  const inside = fc.constantFrom(
    '.env',
    '.ENV',
    'docs/.ssh/id',
    'docs/../.env',
    'key.pem',
    './key.pem',
    'docs/.SSH/id',
    '.env ',
    '.env.',
    '.env::$DATA',
  );
  const more = fc.oneof(fc.constant(''), anyText);
  const paths = fc.oneof(
    fc.tuple(start, rest, more).map((parts) => parts.join('')),
    inside,
  );
  await all(
    fc.asyncProperty(paths, async (path) => {
      const code = await codeOf(() => tool.execute({ path }, context));
      expect(['PATH_OUTSIDE_ROOT', 'PATH_DENIED', 'FILE_NOT_FOUND', 'FILE_NOT_REGULAR', 'TOOL_INPUT_INVALID']).toContain(code);
    }),
  );
});

/** An IPv4 address in one of the ways in which a URL may spell it. */
const spelled = ([a, b, c, d]: readonly number[], way: number): string => {
  const [w = 0, x = 0, y = 0, z = 0] = [a, b, c, d];
  const whole = ((w * 256 + x) * 256 + y) * 256 + z;
  const ways = [
    `${w}.${x}.${y}.${z}`,
    `${whole}`,
    `0x${whole.toString(16)}`,
    `0${w.toString(8)}.0x${x.toString(16)}.${y}.${z}`,
    `${w}.${x}.${y * 256 + z}`,
    `${w}.${(x * 256 + y) * 256 + z}`,
    `[::ffff:${w}.${x}.${y}.${z}]`,
    `[64:ff9b::${w}.${x}.${y}.${z}]`,
    `[2002:${(w * 256 + x).toString(16)}:${(y * 256 + z).toString(16)}::1]`,
  ];
  return ways[way % ways.length] ?? '';
};

it('rejects addresses that are private or outside the web (B33, B36)', async () => {
  const byte = fc.nat(255);
  const starts = fc.constantFrom(
    [10],
    [127],
    [0],
    [169, 254],
    [192, 168],
    [172, 16],
    [172, 31],
    [100, 64],
    [198, 18],
    [192, 0, 2],
    [224],
    [240],
    [255],
  );
  const addresses = fc
    .tuple(starts, byte, byte, byte, fc.nat(8))
    .map(([start, x, y, z, way]) => spelled([...start, x, y, z].slice(0, 4), way));
  const names = fc.constantFrom(
    'localhost',
    'a.localhost.',
    'metadata.google.internal',
    'printer.local',
    'intranet',
    '[::1]',
    '[fc00::1]',
    '[fe80::1]',
    '[::]',
  );
  const hosts = fc.oneof(addresses, names);
  const other = fc.constantFrom(
    'file:///etc/passwd',
    'gopher://a.com/',
    'ftp://a.com/',
    'data:text/plain,x',
    'http://good.com@evil.com/',
    'http://a.com:22/',
    'http://a.com:6379/',
  );
  const urls = fc.oneof(
    fc
      .tuple(fc.constantFrom('http', 'https'), hosts, fc.constantFrom('', ':80', ':443', ':8080'), fc.webPath())
      .map(([s, h, p, w]) => `${s}://${h}${p}${w}`),
    other,
  );
  const lookup = async () => ['93.184.216.34'];
  const rules = { allowHttp: true, allowedPorts: [], lookup, isAllowedAddress: isPublicAddress };
  await all(
    fc.asyncProperty(urls, async (url) => {
      const code = await codeOf(() => resolveAllowed(new URL(url), rules, context.signal));
      expect(['ADDRESS_NOT_ALLOWED', 'URL_NOT_ALLOWED', 'ERR_INVALID_URL'], url).toContain(code);
    }),
  );
});

it('rejects expressions that are programs (B43)', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const start = fc.constantFrom(
    'constructor',
    'this',
    'import(',
    'globalThis',
    'process.',
    '__proto__',
    '(()=>',
    '[].',
    '`',
    'new ',
    'x=',
    '"a"+',
    'eval(',
  );
  const tool = calculator();
  await all(
    fc.asyncProperty(
      fc.tuple(start, anyText).map((parts) => parts.join('')),
      async (expression) => {
        expect(await codeOf(() => tool.execute({ expression }, context))).toMatch(/^EXPRESSION_INVALID|^TOOL_INPUT_INVALID/);
      },
    ),
  );
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
});

const search: Tool = {
  name: 'search',
  description: 'Finds.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
  capabilities: { private: false, untrusted: true, external: true },
  execute: async () => 'found',
};

it('rejects broken plans (B44)', async () => {
  const plans = arbitraryBrokenPlan([search, { ...search, name: 'send' }]).map(({ source }) => source);
  await all(
    fc.asyncProperty(plans as fc.Arbitrary<string>, async (source) => {
      expect(await codeOf(() => parsePlan(source, { tools: [search, { ...search, name: 'send' }] }))).toBe('PLAN_REJECTED');
    }),
  );
});

it('rejects calls of missing or misspelled tools (B44, B48)', async () => {
  const twins: Readonly<Record<string, string>> = { s: 'ѕ', e: 'е', a: 'а', r: 'г', c: 'с', h: 'һ' };
  const names = fc.oneof(
    fc.tuple(fc.nat(6), unseen).map(([place, sign]) => `search`.slice(0, place) + sign + `search`.slice(place)),
    fc.nat(5).map((place) => [...'search'].map((letter, index) => (index === place ? (twins[letter] ?? letter) : letter)).join('')),
    fc.constantFrom('Search', 'SEARCH', 'toString', '__proto__', 'constructor', 'search()', 'search.search', ''),
    anyText.filter((text) => text !== 'search'),
  );
  await all(
    fc.asyncProperty(names, async (name) => {
      expect(await codeOf(() => parseToolCall({ id: 'c', name, arguments: '{"text":"x"}' }, { tools: [search] }))).toMatch(/^TOOL_/);
    }),
  );
});

it('rejects call arguments that violate the schema (B44)', async () => {
  const args = fc.oneof(
    fc
      .jsonValue()
      .filter((value) => typeof (value as { text?: unknown } | null)?.text !== 'string')
      .map((value) => JSON.stringify(value)),
    anyText.filter((text) => !text.includes('"text"')),
    fc.string().map((key) => `{"text":"x",${JSON.stringify(`more ${key}`)}:1}`),
    fc.string().map((text) => `{"text":${JSON.stringify(text)}`),
  );
  await all(
    fc.asyncProperty(args, async (given) => {
      expect(await codeOf(() => parseToolCall({ id: 'c', name: 'search', arguments: given }, { tools: [search] }))).toMatch(/^TOOL_/);
    }),
  );
});

it('rejects request bodies that only JSON.parse accepts (B08, B09)', async () => {
  const limits = { depth: 64, keys: 10_000, stringChars: 262_144 };
  const valid = fc
    .jsonValue({ maxDepth: 2 })
    .map((value) => JSON.stringify(value))
    .filter((text) => !/\\ud/i.test(text));
  const keys = fc.constantFrom('__proto__', 'constructor', 'prototype', '__pro\\u0074o__', '\\u0063onstructor');
  const bodies = fc.oneof(
    fc.tuple(keys, valid).map(([key, value]) => `{"a":[{"${key}":${value}}]}`),
    fc.tuple(fc.constantFrom('a', '', 'b c'), valid, valid).map(([key, one, two]) => `{"${key}":${one},"${key}":${two}}`),
    fc
      .tuple(fc.integer({ min: 65, max: 3_000 }), fc.constantFrom('[', '{"a":'))
      .map(([depth, open]) => `${open.repeat(depth)}1${(open === '[' ? ']' : '}').repeat(depth)}`),
    valid.map((text) => `\ufeff${text}`),
    valid.map((text) => `[${text},"\\ud800"]`),
    fc.tuple(valid, fc.constantFrom(',', '}', ']', '"', 'x', '\\', ':')).map((parts) => parts.join('')),
  );
  await all(
    fc.asyncProperty(bodies, async (body) => {
      const code = await codeOf(() => parseStrictJson(new TextEncoder().encode(body), limits));
      expect(code, body.slice(0, 200)).not.toMatch(/^accepted|^RangeError|^TypeError/);
    }),
  );
  expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
});

it('rejects approvals of arguments that differ from the call (B19)', async () => {
  const args = fc.dictionary(fc.string({ maxLength: 5 }), fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minKeys: 1, maxKeys: 4 });
  const pairs = fc
    .tuple(args, args, fc.constantFrom('send', 'sen', 'send_'))
    .filter(([one, two, name]) => name !== 'send' || JSON.stringify(sorted(one)) !== JSON.stringify(sorted(two)));
  await fc.assert(
    fc.asyncProperty(pairs, async ([shown, used, name]) => {
      expect(toolSignature({ name, args: used })).not.toBe(toolSignature({ name: 'send', args: shown }));
    }),
    { numRuns },
  );
});
const sorted = (value: JsonObject): unknown => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

it('rejects remote tools that changed after approval, and names with hidden characters (B48, B51)', async () => {
  const schema = { type: 'object', properties: { text: { type: 'string' } } } as const;
  await all(
    fc.asyncProperty(
      fc.oneof(anyText, unseen).filter((text) => text !== ''),
      async (more) => {
        const pin = { description: 'Finds.', inputSchema: schema };
        expect(samePin(pin, { ...pin, description: `Finds.${more}` })).toBe(false);
        expect(samePin(pin, { ...pin, inputSchema: { ...schema, description: more } })).toBe(false);
      },
    ),
  );
  await all(
    fc.asyncProperty(
      fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b') }), unseen).map((parts) => parts.join('')),
      async (name) => {
        expect(nameProblem('server', name), JSON.stringify(name)).not.toBe(undefined);
      },
    ),
  );
});

it('rejects journal rows that another program changed (B24, B25)', async () => {
  const path = join(folder, 'rows.db');
  const store: RunStore = sqliteStore({ path, durability: 'normal' });
  const runtime = createRuntime({ store });
  const workflow = logWorkflow({
    states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: final },
    nodes: { a: says('a'), b: says('ü') },
  });
  const run = runtime.start(workflow, {});
  await run.result;
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF');
  const ids = db
    .prepare('SELECT id FROM journal')
    .all()
    .map(({ id }) => Number(id));
  const damage = fc.tuple(
    fc.constantFrom(...ids),
    fc.constantFrom('key', 'kind', 'outcome', 'events', 'checksum'),
    fc.nat(1e6),
    fc.integer({ min: 1, max: 255 }),
    fc.constantFrom('change', 'cut', 'double'),
  );
  await fc.assert(
    fc.asyncProperty(damage, async ([id, column, at, by, how]) => {
      const before = db.prepare(`SELECT CAST(${column} AS BLOB) AS bytes FROM journal WHERE id = ?`).get(id)?.bytes as Uint8Array;
      const changed = before.slice();
      const place = before.length === 0 ? 0 : at % before.length;
      if (how === 'change') changed[place] = (changed[place] ?? 0) ^ by;
      const after =
        how === 'cut'
          ? before.slice(0, place)
          : how === 'double'
            ? Buffer.concat([before, before.slice(place), Uint8Array.of(by)])
            : changed;
      if (Buffer.compare(after, before) === 0) return;
      const write = db.prepare(`UPDATE journal SET ${column} = CAST(? AS TEXT) WHERE id = ?`);
      write.run(after, id);
      const code = await codeOf(() => store.journal(run.id));
      write.run(before, id);
      expect(code, `${column} of ${id}: ${how}`).toMatch(/^JOURNAL_/);
    }),
    { numRuns },
  );
  expect(await store.journal(run.id)).toHaveLength(ids.length);
  db.close();
  await runtime.close();
  await store.close();
});
