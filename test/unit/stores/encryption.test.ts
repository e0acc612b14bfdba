import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  createRuntime,
  defineMachine,
  defineWorkflow,
  type JournalEntry,
  type Json,
  memoryStore,
  type RunStore,
  schemaState,
} from 'agent-machines';
import { createRunStore, encryptedStore, exportRun, importRun, rekeyStore, verifyStore } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { folderForTest } from '../../fixtures/folder-for-test.ts';
import { naiveStorage } from '../../fixtures/naive-storage.ts';

const keyOf = (seed: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, index) => (index * 7 + seed) % 256);
const key = keyOf(1);
const other = keyOf(2);
const secret = 'the launch code is swordfish';

const request = { owner: 'o_1', leaseMs: 30_000, now: 1_000, monotonic: 0 };
const entry = (seq: number, outcome: Json, kind: JournalEntry['kind'] = 'node'): JournalEntry => ({
  seq,
  key: seq === 1 ? 'run' : `node#${seq}`,
  kind,
  outcome,
  events: [{ type: 'custom', name: 'note', data: secret, seq, at: seq }],
  epoch: 1,
  at: 1_000 + seq,
});
const newRun = (id: string, threadId?: string) =>
  ({ id, workflow: 'example', version: '1', structure: 's', ifBusy: 'reject', ...(threadId === undefined ? {} : { threadId }) }) as const;

/** A run with two entries, in a thread with that state. */
async function addTurn(store: RunStore, id: string, threadState: Json = { said: secret }): Promise<void> {
  const { lease } = await store.create(newRun(id, 't_1'), [entry(1, { input: secret }, 'start')], request);
  await store.append(lease, entry(2, { output: { text: secret } }), 1);
  await store.settle(lease, { entry: entry(3, { status: 'done', output: secret }, 'settle'), status: 'done', activeMs: 2, threadState });
  await store.nameThread('t_1', secret);
}

const contents = async (store: RunStore, id: string): Promise<Json> =>
  JSON.parse(JSON.stringify([await store.journal(id), await store.readThread('t_1'), [...(await store.threadTitles(['t_1']))]])) as Json;

const bytesOf = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');

const greeter = defineWorkflow({
  machine: defineMachine(schemaState(z.object({ name: z.string(), text: z.string().default('') })), {
    id: 'greeter',
    initial: 'greet',
    output: ({ text }) => text,
    states: { greet: { node: 'greet', done: 'told', error: 'failed' }, told: { final: true }, failed: { final: 'failure' } },
  }),
  nodes: { greet: async ({ name }) => ({ text: `hello ${name}` }) },
});

const refusal = { code: 'STORE_KEY_INVALID' };
const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (cause) {
    return cause;
  }
  return undefined;
};

describe('encryptedStore', () => {
  it('reads back a text of 10 million characters', async () => {
    const store = encryptedStore(memoryStore(), { key });
    const text = 'swordfish '.repeat(1_000_000);
    await store.create(newRun('r_1'), [entry(1, { input: text }, 'start')], request);
    const [start] = await store.journal('r_1');
    expect(start?.outcome).toEqual({ input: text });
  });

  it('leaves no text of a run in the file or its log, and reads it back', async () => {
    const folder = folderForTest('encryption-');
    const store = sqliteStore({ path: join(folder, 'a.db'), encrypt: { key } });
    await addTurn(store, 'r_1');
    expect(bytesOf(folder)).not.toContain('swordfish');
    expect(bytesOf(folder)).toContain('r_1');
    expect(JSON.stringify(await contents(store, 'r_1')).match(/swordfish/g)).toHaveLength(9);
    await store.close();
    expect(bytesOf(folder)).not.toContain('swordfish');
    const again = sqliteStore({ path: join(folder, 'a.db'), encrypt: { key: Buffer.from(key).toString('hex') } });
    onTestFinished(async () => again.close());
    expect(JSON.stringify(await contents(again, 'r_1'))).toContain('swordfish');
    await again.close();
  });

  it.each([
    ['a wrong key', { key: other }],
    ['no key', undefined],
  ])('refuses everything that writes or reads values with %s, and changes no byte', async (_, encrypt) => {
    const folder = folderForTest('encryption-');
    const path = join(folder, 'a.db');
    const right = sqliteStore({ path, encrypt: { key } });
    const { lease } = await right.create(newRun('r_0'), [entry(1, { input: 1 }, 'start')], request);
    await right.settle(lease, { status: 'paused', activeMs: 1 });
    await addTurn(right, 'r_1');
    await right.close();
    const before = bytesOf(folder);
    const wrong = sqliteStore({ path, ...(encrypt ? { encrypt } : {}) });
    const works: readonly (() => unknown)[] = [
      () => wrong.create(newRun('r_2'), [entry(1, { input: 1 }, 'start')], request),
      () => wrong.acquire('r_0', request),
      () => wrong.journal('r_1'),
      () => wrong.readThread('t_1'),
      () => wrong.turns('t_1', {}),
      () => wrong.nameThread('t_1', 'clear'),
      () => wrong.saveStructure('h', { a: 1 }),
      () => exportRun(wrong, 'r_1'),
    ];
    for (const work of works) expect(await thrownBy(work), String(work)).toMatchObject(refusal);
    expect(await wrong.list({})).toHaveLength(2);
    const runtime = createRuntime({ store: wrong, workflows: [greeter] });
    expect(await (await runtime.start(greeter, { name: 'a' })).result).toMatchObject({ status: 'failed', error: refusal });
    await runtime.close();
    await wrong.close();
    expect(bytesOf(folder)).toBe(before);
  });

  it('refuses a store with clear text, and a writer of clear text that opened it before', async () => {
    const path = join(folderForTest('encryption-'), 'a.db');
    const early = sqliteStore({ path });
    onTestFinished(async () => early.close());
    const encrypted = sqliteStore({ path, encrypt: { key } });
    onTestFinished(async () => encrypted.close());
    await addTurn(encrypted, 'r_1');
    expect(await thrownBy(() => addTurn(early, 'r_2'))).toMatchObject(refusal);
    const clear = memoryStore();
    await addTurn(clear, 'r_1');
    expect(await thrownBy(() => addTurn(encryptedStore(clear, { key }), 'r_2'))).toMatchObject(refusal);
    expect(await clear.list({})).toHaveLength(1);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['short', 'c2hvcnQtc2VjcmV0'],
    ['words', 'a pass phrase is no key'],
    ['one byte long too much', Buffer.alloc(33, 'x').toString('base64')],
    ['all zero', new Uint8Array(32)],
    ['number', 7],
  ])('rejects a key that is %s without printing it', async (_, wrong) => {
    const folder = folderForTest('encryption-');
    for (const encrypt of [{ key: wrong }, { key, previous: [wrong] }] as never[]) {
      const thrown = await thrownBy(() => sqliteStore({ path: join(folder, 'a.db'), encrypt }));
      expect(thrown).toMatchObject(refusal);
      if (typeof wrong === 'string' && wrong !== '') expect(JSON.stringify(thrown) + String(thrown)).not.toContain(wrong);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('rejects entries and states that were moved, changed or replaced by clear text', async () => {
    const storage = naiveStorage();
    const store = encryptedStore(createRunStore(storage), { key });
    await addTurn(store, 'r_1');
    await addTurn(store, 'r_2', { said: 'second' });
    const [mine = [], others = []] = [await storage.journal('r_1'), await storage.journal('r_2')];
    const thread = (await storage.readThread('t_1')).record;
    const fakes: readonly (readonly JournalEntry[])[] = [
      mine.map((one, index) => ({ ...one, outcome: others[index]?.outcome ?? null })),
      mine.map((one, index) => (index === 1 ? { ...one, outcome: mine[2]?.outcome ?? null } : one)),
      mine.map((one, index) => (index === 1 ? { ...one, key: 'node#9' } : one)),
      mine.map((one, index) => (index === 1 ? { ...one, outcome: { output: 'clear' } } : one)),
      mine.map((one, index) =>
        index === 1 ? { ...one, outcome: JSON.parse(JSON.stringify(one.outcome).replace(/..."}$/, 'AAA"}')) } : one,
      ),
    ];
    for (const fake of fakes) {
      const moved = encryptedStore(createRunStore({ ...storage, journal: async () => fake }), { key });
      expect(await thrownBy(() => moved.journal('r_1'))).toMatchObject({ code: 'JOURNAL_CORRUPT' });
    }
    for (const change of [{ revision: 1 }, { id: 't_2' }, { state: { said: 'clear' } }, { title: 'clear' }]) {
      const record = thread && { ...thread, ...change };
      const moved = encryptedStore(createRunStore({ ...storage, readThread: async () => ({ record }) }), { key });
      expect(await thrownBy(() => moved.readThread('t_1'))).toMatchObject({ code: 'JOURNAL_CORRUPT' });
    }
  });

  it('writes only new parts of a long conversation', async () => {
    const folder = folderForTest('encryption-');
    const path = join(folder, 'a.db');
    const store = sqliteStore({ path, encrypt: { key } });
    onTestFinished(async () => store.close());
    const turns = (count: number): Json => Array.from({ length: count }, (_, n) => ({ n, text: `${secret} ${n} `.repeat(20) }));
    await addTurn(store, 'r_1', { turns: turns(500), other: turns(100) });
    const before = partsOf(path);
    const { lease, thread } = await store.create(newRun('r_2', 't_1'), [entry(1, { input: 1 }, 'start')], request);
    const state = thread?.state as { readonly turns: readonly Json[]; readonly other: readonly Json[] };
    await store.settle(lease, { status: 'done', activeMs: 1, threadState: { ...state, turns: [...state.turns, 'one more'] } });
    const after = partsOf(path);
    expect(before.length).toBeGreaterThan(20);
    expect(after.filter((part) => !before.includes(part))).toEqual([]);
    expect((await store.readThread('t_1'))?.state).toEqual({ turns: [...state.turns, 'one more'], other: state.other });
    expect(bytesOf(folder)).not.toContain('swordfish');
  });

  it('continues a run after its process has ended, and forks and moves it', async () => {
    const path = join(folderForTest('encryption-'), 'a.db');
    const store = sqliteStore({ path, encrypt: { key } });
    const runtime = createRuntime({ store, workflows: [greeter] });
    const { id, result } = await runtime.start(greeter, { name: secret });
    await result;
    expect(await (await runtime.fork(id, { at: 'greet#1' })).result).toMatchObject({ status: 'done', output: `hello ${secret}` });
    const copy = encryptedStore(memoryStore(), { key: other });
    const document = await exportRun(store, id);
    await importRun(copy, document);
    expect(await copy.journal(id)).toEqual(await store.journal(id));
    expect(await verifyStore(copy)).toMatchObject({ runs: 1, problems: [] });
    await runtime.close();
    await store.close();
  });
});

/** Rows of the parts of a conversation. */
function partsOf(path: string): readonly string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db
      .prepare('SELECT name FROM thread_parts ORDER BY name')
      .all()
      .map(({ name }) => String(name));
  } finally {
    db.close();
  }
}

describe('rekeyStore', () => {
  const rows = async (path: string, encrypt: { readonly key: Uint8Array; readonly previous?: readonly Uint8Array[] }) => {
    const store = sqliteStore({ path, encrypt });
    const found = await contents(store, 'r_1');
    await store.close();
    return found;
  };

  it.each([
    ['clear text', undefined],
    ['an older key', { key: other }],
  ])('encrypts a store of %s, and clears what it replaced from the file', async (_, encrypt) => {
    const folder = folderForTest('rekey-');
    const path = join(folder, 'a.db');
    const before = sqliteStore({ path, ...(encrypt ? { encrypt } : {}) });
    const turns = Array.from({ length: 400 }, (_, n) => ({ n, text: secret.repeat(4) }));
    await addTurn(before, 'r_1', { turns });
    await addTurn(before, 'r_2', { turns: [...turns, 'more'] });
    await before.cancel((await before.create(newRun('r_3'), [entry(1, { input: secret }, 'start')], request)).record.id, { now: 5 });
    const expected = await contents(before, 'r_1');
    await before.close();
    const store = sqliteStore({ path });
    expect(await rekeyStore(store, { key, ...(encrypt ? { previous: [other] } : {}) })).toEqual({ runs: 3, threads: 1, driven: 0 });
    expect(await rekeyStore(store, { key })).toEqual({ runs: 0, threads: 0, driven: 0 });
    expect(await verifyStore(store)).toMatchObject({ runs: 3, problems: [] });
    await store.close();
    expect(bytesOf(folder)).not.toContain('swordfish');
    expect(await rows(path, { key })).toEqual(expected);
    expect(await thrownBy(() => rows(path, { key: other }))).toMatchObject(refusal);
  });

  it('lets processes with the older key work until it begins, and reports the runs that they drive', async () => {
    const path = join(folderForTest('rekey-'), 'a.db');
    const [first, second] = [key, other].map((own) =>
      sqliteStore({ path, encrypt: { key: own, previous: [own === key ? other : key] } }),
    ) as [RunStore, RunStore];
    await addTurn(first, 'r_1');
    await addTurn(second, 'r_2'); // the newer key
    await addTurn(first, 'r_3');
    const { lease } = await first.create(newRun('r_4'), [entry(1, { input: 1 }, 'start')], request);
    const plain = sqliteStore({ path });
    expect(await rekeyStore(plain, { key: other, previous: [key] })).toEqual({ runs: 2, threads: 1, driven: 1 });
    expect(await thrownBy(() => addTurn(first, 'r_5'))).toMatchObject(refusal);
    await first.append(lease, entry(2, { output: secret }), 1);
    await first.settle(lease, { status: 'done', activeMs: 1 });
    expect(await thrownBy(() => rows(path, { key: other }))).toMatchObject(refusal); // r_4 needs the older key
    expect(await rekeyStore(plain, { key: other, previous: [key] })).toEqual({ runs: 1, threads: 0, driven: 0 });
    expect(await second.journal('r_4')).toHaveLength(2);
    expect(JSON.stringify(await rows(path, { key: other }))).toContain('swordfish');
    for (const store of [first, second, plain]) await store.close();
  });

  it('skips what an interrupted call has done', async () => {
    const clear = memoryStore();
    for (let n = 0; n < 5; n++) await addTurn(clear, `r_${n}`, { n });
    const storage = clear.storage as Required<NonNullable<RunStore['storage']>>;
    let calls = 0;
    const dying = createRunStore({
      ...storage,
      rewrite: (...given) => {
        if (++calls === 3) throw new Error('killed');
        return storage.rewrite(...given);
      },
    });
    expect(String(await thrownBy(() => rekeyStore(dying, { key })))).toContain('killed');
    expect(JSON.stringify(await encryptedStore(clear, { key }).journal('r_0'))).toContain('swordfish'); // still in clear text
    expect(await rekeyStore(clear, { key })).toEqual({ runs: 3, threads: 1, driven: 0 });
    expect(await thrownBy(() => clear.journal('r_0'))).toMatchObject(refusal);
    expect(await thrownBy(() => rekeyStore(encryptedStore(clear, { key }), { key }))).toMatchObject({ code: 'OPTION_INVALID' });
  });
});
