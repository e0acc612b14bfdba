// The server's OpenAPI document, as it comes over a real socket, before a validator, a linter and a client generator that are not ours.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createRuntime, type JsonObject, memoryStore } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { createServer } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { asking, token } from '../fixtures/served.ts';
import { installedFile, installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 300_000 });

interface OpenApiValidator {
  readonly Validator: new () => {
    readonly version?: string;
    validate(document: object): Promise<{ readonly valid: boolean; readonly errors?: unknown }>;
  };
}

interface Linter {
  createConfig(config: object): Promise<unknown>;
  lintFromString(options: {
    readonly source: string;
    readonly absoluteRef: string;
    readonly config: unknown;
  }): Promise<readonly { readonly severity: string; readonly ruleId: string; readonly message: string }[]>;
}

interface Answer {
  readonly response: Response;
  readonly data?: unknown;
  readonly error?: unknown;
}

/** The client of openapi-fetch, without the types that a project generates. */
interface Client {
  request(
    method: string,
    path: string,
    options: {
      readonly params: { readonly path: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, unknown>> };
      readonly body?: unknown;
      readonly parseAs: 'stream' | 'text' | 'json';
    },
  ): Promise<Answer>;
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> }>>;
}

const importInstalled = async <T>(path: string): Promise<T> => (await import(installedFile('open-api', path).href)) as T;

const store = memoryStore();
const workflows = [asking, planExecute(), chatAgent(), toolAgent()];
const runtime = createRuntime({ store, workflows });
const open = { perMinute: 1_000_000, burst: 1_000_000 };
let listener: Awaited<ReturnType<typeof listen>>;
let document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } & Readonly<Record<string, unknown>>;
const scratch = installedFile('open-api', '../generated/');

beforeAll(async () => {
  installFolder('open-api');
  const limits = { reads: open, writes: open, starts: open };
  listener = await listen({ server: (hosts) => createServer({ hosts, tokens: token, store, runtime, workflows, limits }) });
  const response = await fetch(`${listener.url}/api/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
  document = (await response.json()) as typeof document;
});
afterAll(async () => {
  rmSync(scratch, { recursive: true, force: true });
  await listener.close();
  await runtime.close();
});

it('is valid OpenAPI 3.1 without a dangling reference', async () => {
  const { Validator } = await importInstalled<OpenApiValidator>('@seriousme/openapi-schema-validator/index.js');
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(20);
  for (const path of references) {
    const found = path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    expect(found, path).toBeDefined();
  }
  const broken = { ...document, info: {} };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

it('has no error in a linter', async () => {
  const { createConfig, lintFromString } = await importInstalled<Linter>('@redocly/openapi-core/lib/index.js');
  const config = await createConfig({ extends: ['recommended'] });
  const errorsOf = async (source: object): Promise<readonly string[]> =>
    (await lintFromString({ source: JSON.stringify(source), absoluteRef: '/openapi.json', config }))
      .filter(({ severity }) => severity === 'error')
      .map(({ ruleId, message }) => `${ruleId}: ${message}`);
  expect(await errorsOf(document)).toEqual([]);
  expect(await errorsOf({ ...document, servers: [] })).not.toEqual([]);
});

const program = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' });
export async function statuses(): Promise<readonly string[]> {
  const { data, error } = await client.GET('/api/runs', { params: { query: { status: 'done' } } });
  if (error) throw new Error(error.code);
  return data.runs.map(({ status }) => status);
}
export const start = () => client.POST('/api/runs', { body: { workflow: 'asking', input: { log: [] } } });
// @ts-expect-error no such path
export const nothing = () => client.GET('/api/nothing');
// @ts-expect-error no such status
export const odd = () => client.GET('/api/runs', { params: { query: { status: 'odd' } } });
`;

it('has a generated client that compiles', async () => {
  const generator = await importInstalled<{
    default(source: string): Promise<readonly unknown[]>;
    astToString(nodes: readonly unknown[]): string;
  }>('openapi-typescript/dist/index.mjs');
  mkdirSync(scratch, { recursive: true });
  writeFileSync(new URL('schema.ts', scratch), generator.astToString(await generator.default(JSON.stringify(document))));
  const file = new URL('client.ts', scratch);
  writeFileSync(file, program);
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--module', 'nodenext'];
  const compile = () =>
    spawnSync(process.execPath, [fileURLToPath(installedFile('open-api', 'typescript/bin/tsc')), ...flags, fileURLToPath(file)], {
      encoding: 'utf8',
    });
  expect(compile().stdout).toBe('');
  writeFileSync(file, program.replaceAll('@ts-expect-error', ''));
  expect(compile().stdout.match(/error TS/g)).toHaveLength(2);
});

/** Reasons why an answer is not what the document says. */
function judge(): (path: string, method: string, answer: Answer) => readonly string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'https://agents.test/openapi.json' });
  const checks = new Map<string, ReturnType<typeof ajv.compile>>();
  return (path, method, { response, data, error }) => {
    const { status, headers } = response;
    const { responses } = document.paths[path]?.[method] ?? { responses: {} };
    if (status < 300 && !responses[status]) return [`${status} is not described`];
    const content = (responses[status] ?? responses.default)?.content ?? {};
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    const schema = content[type]?.schema;
    if (!schema) return [`${status} has the type ${type}`];
    if (type !== 'application/json') return [];
    const key = `${path} ${method} ${status}`;
    const compiled =
      checks.get(key) ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://agents.test/openapi.json#/')));
    checks.set(key, compiled);
    return compiled(data ?? error) ? [] : [`${status}: ${ajv.errorsText(compiled.errors)}`];
  };
}

/** Bodies that fit their route, beside any JSON. */
const bodies: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  '/api/runs': fc.record({
    workflow: fc.constantFrom('asking', 'plan_execute', 'tool-agent', 'nothing'),
    input: fc.constantFrom<unknown>({ log: ['a'] }, { input: '6*7' }, { input: 1 }, {}),
    threadId: fc.constantFrom('t', '', 'x'.repeat(65)),
  }),
  '/api/runs/{id}/answer': fc.record({
    interruptId: fc.constantFrom('i_0', ''),
    event: fc.constantFrom<unknown>({ type: 'SAY', text: 'x' }, { type: '' }, {}),
  }),
  '/api/runs/{id}/resolve': fc.record({ callId: fc.constantFrom('c', ''), resolution: fc.constantFrom({ as: 'retry' }, { as: 'x' }) }),
  '/api/runs/{id}/fork': fc.record({ at: fc.constantFrom('work#1', 'nothing#1', '') }),
  '/api/runs/{id}/rating': fc.record({ rating: fc.constantFrom<unknown>('up', 'down', null, 'x') }),
  '/api/threads/{id}': fc.record({ title: fc.constantFrom<unknown>('New', null, '', 1) }),
};

it('describes every answer of a fuzzed client, also the refusals', async () => {
  const { default: createClient } = await importInstalled<{ default(options: object): Client }>('openapi-fetch/dist/index.mjs');
  const client = createClient({ baseUrl: listener.url, headers: { authorization: `Bearer ${token}` } });
  const first = runtime.start(asking, { log: ['a'] }, { threadId: 't' });
  await first.result;
  const fits = judge();
  const wrong: string[] = [];
  const seen = new Map<string, Set<number>>();
  const id = fc.oneof(fc.constantFrom(first.id, 't', 'asking', 'tool_agent', 'r_unknown'), fc.string({ minLength: 1, maxLength: 70 }));
  const names = fc.constantFrom('limit', 'status', 'before', 'from', 'threadId', 'user', 'odd');
  const query = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, fc.dictionary(names, fc.constantFrom('1', 'done', '-1', '')));
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const any = fc.oneof(
        fc.json().map((text) => JSON.parse(text)),
        fc.constant({}),
      );
      const body = operation.requestBody ? fc.oneof({ weight: 3, arbitrary: bodies[path] ?? any }, any) : fc.constant({});
      const [type = ''] = Object.keys(operation.responses[200]?.content ?? {});
      const isStream = type === 'text/event-stream';
      const parseAs = isStream ? ('stream' as const) : type === 'text/plain' ? ('text' as const) : ('json' as const);
      const removes = method === 'delete';
      await fc.assert(
        fc.asyncProperty(removes ? fc.string({ minLength: 1, maxLength: 70 }) : id, query, body, async (given, asked, sent) => {
          const params = { path: { id: given, user: given }, query: isStream ? {} : asked };
          const isRead = method === 'get' || removes;
          const answer = await client.request(method, path, { params, ...(isRead ? {} : { body: sent }), parseAs });
          if (isStream) await answer.response.body?.cancel().catch(() => {});
          wrong.push(
            ...fits(path, method, answer).map((why) => `${method} ${path} ${JSON.stringify([given, asked, sent]).slice(0, 200)}: ${why}`),
          );
          seen.set(`${method} ${path}`, (seen.get(`${method} ${path}`) ?? new Set()).add(answer.response.status));
        }),
        { numRuns: 25, seed: 27 },
      );
    }
  expect([...new Set(wrong)].slice(0, 10)).toEqual([]);
  expect(seen.size).toBe(Object.values(document.paths).flatMap((one) => Object.keys(one)).length);
  const statuses = new Set([...seen.values()].flatMap((one) => [...one]));
  for (const status of [200, 201, 400, 404, 409]) expect([...statuses]).toContain(status);
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
});
