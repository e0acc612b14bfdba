import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { knowledgePassages } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { chromaIndex } from 'agent-machines/search';
import { createVectorStore } from 'agent-machines/search/node';
import { vectorIndexContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { folder, ownProcess } from '../cli/command.ts';
import { embedder, longTermMemoryCases } from '../contract/long-term-memory-cases.ts';
import { vectorStoreCases } from '../contract/vector-store-cases.ts';
import { opensearchServer } from '../fixtures/opensearch-server.ts';
import { type ChromaServer, chromaServer } from './chroma/chroma-server.ts';
import { importChroma } from './import-chroma.ts';
import { installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 60_000 });
let server: ChromaServer;
beforeAll(async () => {
  installFolder('chroma');
  server = await chromaServer();
}, 300_000);
afterAll(() => server[Symbol.asyncDispose]());

describe('vectorIndexContract: chromaIndex on a Chroma server', () => {
  const cases = vectorIndexContract((collection, embedder) => chromaIndex({ url: server.url, collection, embedder, chroma: importChroma }));
  for (const { name, run } of cases) it(name, run);
});

longTermMemoryCases({
  name: 'chromaIndex on a Chroma server',
  open: (collection) => chromaIndex({ url: server.url, collection, embedder, chroma: importChroma }),
  persistent: true,
  numRuns: 4,
});

let places = 0;
vectorStoreCases('chroma', () => ({ type: 'chroma', url: server.url, collection: `store-${places++}`, chroma: importChroma }));

describe('createVectorStore', () => {
  it('reports a missing Chroma server', async () => {
    const gone = await opensearchServer();
    await gone[Symbol.asyncDispose]();
    const store = createVectorStore({ type: 'chroma', url: gone.url, collection: 'gone', chroma: importChroma });
    await expect(store).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: true });
    await expect(createVectorStore({ type: 'chroma', url: 'nowhere', collection: 'x', chroma: importChroma })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  it('rejects a collection of another program', async () => {
    const { ChromaClient } = await importChroma();
    const client = new ChromaClient({ host: '127.0.0.1', port: Number(new URL(server.url).port), ssl: false, headers: {} });
    await (client as unknown as { createCollection(options: object): Promise<unknown> }).createCollection({
      name: 'theirs',
      embeddingFunction: null,
    });
    const store = createVectorStore({ type: 'chroma', url: server.url, collection: 'theirs', chroma: importChroma });
    await expect(store).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
  });
});

describe('agent-machines with --store chroma', () => {
  const chroma = () => ['--store', 'chroma', '--store-url', server.url];
  const env = { NODE_OPTIONS: `--import=${new URL('chroma/resolve-chroma.mjs', import.meta.url)}` };

  const collections = async (): Promise<readonly { readonly name: string }[]> => {
    const { ChromaClient } = await importChroma();
    const client = new ChromaClient({ host: '127.0.0.1', port: Number(new URL(server.url).port), ssl: false, headers: {} });
    const all = await (client as unknown as { listCollections(): Promise<readonly { readonly name: string }[]> }).listCollections();
    return all.filter(({ name }) => name.startsWith('agent-machines-catalogue-'));
  };
  /** Asks for a plan, and approves it. */
  const guided = async (cwd: string, flags: readonly string[] = []) => {
    const asked = await ownProcess(cwd, ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어', ...flags], env);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const interrupt = /--interrupt (i_\w+)/.exec(asked.stderr)?.[1] ?? '';
    return ownProcess(cwd, ['send', runId, 'APPROVE', '--interrupt', interrupt], env);
  };

  it("keeps guide-agent's catalogue on the server, with the same answers as without it", async () => {
    const without = await guided(folder());
    expect(await collections()).toEqual([]);
    const first = await guided(folder(), chroma());
    expect([first.code, first.stdout]).toEqual([0, without.stdout]);
    const [{ name: collection = '' } = {}] = await collections();
    const store = await createVectorStore({ type: 'chroma', url: server.url, collection, chroma: importChroma });
    const base = await exampleKnowledge();
    expect(await store.count()).toBe(knowledgePassages(base).length);
    // what another process finds there is what the first one has written
    const [named] = base.services.filter(({ name }) => first.stdout.includes(name));
    await store.remove([named?.id ?? '']);
    await store.add([{ source: 'something else', heading: '', text: '쇼츠' }]);
    const second = await guided(folder(), chroma());
    expect(second.code).toBe(0);
    expect(second.stdout).not.toContain(named?.name);
    await store.close();
  });

  it('keeps catalogues of different folders apart, and writes each once', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'docs'));
    const { services } = await exampleKnowledge();
    writeFileSync(join(cwd, 'docs', 'catalogue.json'), JSON.stringify(services.map((one) => ({ ...one, name: `우리${one.name}` }))));
    const before = await collections();
    const flags = ['--docs', 'docs', '--allow-egress', ...chroma()];
    expect((await guided(cwd, flags)).stdout).toContain('우리');
    await guided(cwd, flags);
    expect((await collections()).length).toBe(before.length + 1);
  });

  it("keeps guide-agent's memories on the server, for other processes and databases", async () => {
    const cwd = folder();
    const asked = await ownProcess(cwd, ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어. 무료로 하고 싶어', ...chroma()], env);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const interrupt = /--interrupt (i_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const done = await ownProcess(cwd, ['send', runId, 'APPROVE', '--interrupt', interrupt], env); // the run remembers the store
    expect([done.code, done.stderr.includes('Error')]).toEqual([0, false]);
    const elsewhere = folder();
    const list = await ownProcess(elsewhere, ['memory', 'list', '--json', ...chroma()], env);
    const memory = JSON.parse(list.stdout) as { readonly id: string };
    expect(memory).toMatchObject({ kind: 'preference', text: expect.stringContaining('무료') });
    expect((await ownProcess(cwd, ['memory', 'list'], env)).stdout).toBe('No memories.\n'); // no file beside the runs
    expect((await ownProcess(elsewhere, ['memory', 'forget', memory.id, ...chroma()], env)).stderr).toBe('1 forgotten.\n');
    expect((await ownProcess(elsewhere, ['memory', 'list', ...chroma()], env)).stdout).toBe('No memories.\n');
  });

  it('leaves no byte of data that db forget removed, once the server is vacuumed as its report advises', async () => {
    await using server = await chromaServer();
    const cwd = folder();
    const flags = ['--store', 'chroma', '--store-url', server.url];
    const marksOf = (remembered: string): number =>
      readdirSync(server.folder, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name), 'utf8').split(remembered).length - 1, 0);
    const asked = await ownProcess(
      cwd,
      ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어. 무료로 하고 싶어', '--thread', 'film', ...flags],
      env,
    );
    const [, runId = '', interrupt = ''] = /run (r_\w+)[\s\S]*--interrupt (i_\w+)/.exec(asked.stderr) ?? [];
    expect((await ownProcess(cwd, ['send', runId, 'APPROVE', '--interrupt', interrupt], env)).code).toBe(0);
    const list = await ownProcess(cwd, ['memory', 'list', '--json', ...flags], env);
    const { text } = JSON.parse(list.stdout) as { readonly text: string };
    expect(text).toContain('무료');
    expect(marksOf(text)).toBeGreaterThan(0);
    const { code, stdout } = await ownProcess(cwd, ['db', 'forget', 'film', '--json'], env);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({
        memories: 1,
        places: expect.arrayContaining([
          { place: 'runs', erased: 'bytes gone' },
          { place: 'memories', erased: 'rows only', because: expect.stringContaining('chroma vacuum --path') },
        ]),
      }),
    ]);
    await server.vacuum();
    expect(marksOf(text)).toBe(0);
  });
});
