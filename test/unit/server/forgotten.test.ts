// What is removed is gone, from the file too.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type AnyWorkflow, createRuntime, type Json, memoryStore } from 'agent-machines';
import { createLongTermMemory } from 'agent-machines/memory';
import { hashedEmbedder, memoryIndex } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { type SqliteConnection, sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { failure, final, type LogHandler, logWorkflow, node } from '../../fixtures/log-workflow.ts';
import { asking, serve } from '../../fixtures/served.ts';

const secret = 'NEEDLE-in-the-file';

/** A connection that is refused what Deno without all permissions is refused. */
function withoutVacuum(path: string): SqliteConnection {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        if (args[0] === 'VACUUM') throw new Error('too many attached databases - max 0');
        return Reflect.apply(value, target, args);
      };
    },
  });
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-forgotten-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const bytesOf = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');

const stores = {
  'a file': (path: string) => sqliteStore({ path }),
  'a database that lets nothing be attached': (path: string) => sqliteStore({ database: withoutVacuum(path) }),
};

it.each(Object.entries(stores))('leaves no byte of a removed conversation in the files of its store: %s', async (_, open) => {
  const folder = newFolder();
  const bytes = (): string => bytesOf(folder);
  const store = open(join(folder, 'runs.db'));
  const runtime = createRuntime({ store, workflows: [asking] });
  const { ask } = serve({ store, runtime });
  const begin = async (input: object, threadId: string): Promise<string> => {
    const { body } = await ask('POST', '/api/runs', { workflow: 'asking', input, threadId });
    await runtime.resume(body.id).then((run) => run.result);
    return body.id as string;
  };
  const run = await begin({ log: [secret, secret.repeat(500)] }, secret.slice(0, 6));
  const kept = await begin({}, 'other');
  expect(bytes()).toContain(secret);
  expect(await ask('DELETE', `/api/runs/${run}`)).toMatchObject({ status: 409, body: { code: 'RUN_IN_THREAD' } });
  expect(await ask('DELETE', '/api/threads/NEEDLE')).toMatchObject({ status: 200, body: { deleted: 1, memories: 0 } });
  expect(bytes()).not.toContain('NEEDLE');
  for (const path of [`/api/runs/${run}`, `/api/runs/${run}/journal`, '/api/threads/NEEDLE']) {
    expect((await ask('GET', path)).status, path).toBe(404);
  }
  expect((await ask('DELETE', '/api/threads/NEEDLE')).status).toBe(404);
  expect((await ask('GET', '/api/threads')).body.threads).toMatchObject([{ id: 'other' }]);
  const { interrupts } = (await ask('GET', `/api/runs/${kept}`)).body;
  const said = { interruptId: interrupts[0].id, event: { type: 'SAY', text: 'x' } };
  expect((await ask('POST', `/api/runs/${kept}/answer`, said)).status).toBe(200);
  await runtime.close();
  await store.close();
});

// where a run says whose memories it writes; the same id under another name is another one's
const owners = {
  'the input': { of: 'ada', input: { userId: 'ada' }, metadata: { settings: { user: 'eve' } } },
  'the settings': { of: 'ada', input: {}, metadata: { settings: { user: 'ada' } } },
  nobody: { of: 'local', input: {}, metadata: {} },
} satisfies Record<string, { of: string; input: object; metadata: object }>;

const places = { conversation: { threadId: 'talk' }, run: {} };
const cases = Object.entries(owners).flatMap(([named, owner]) =>
  Object.entries(places).map(([kind, thread]) => ({ named, kind, thread, ...owner })),
);

it.each(cases)('leaves no byte of the memories of a removed $kind, whose user $named names', async (tried) => {
  const { of, input, metadata, thread } = tried;
  const folder = newFolder();
  const embedder = hashedEmbedder();
  const index = await sqliteIndex({ path: join(folder, 'memory.db'), embedder, wordsOf: () => '' });
  const memory = createLongTermMemory({ index, embedder });
  const teaching = logWorkflow({
    id: 'teaching',
    initial: 'work',
    states: { work: node('work', 'done'), done: final, failed: failure },
    nodes: {
      async work(_state, io) {
        const remember = async (): Promise<Json> => {
          const { id } = await memory.write(of, { kind: 'fact', text: secret });
          return [{ output: { remembered: secret, id } }];
        };
        await io.step('write', remember);
        return { log: [] };
      },
    },
  });
  const store = sqliteStore({ path: join(folder, 'runs.db') });
  const runtime = createRuntime({ store, workflows: [teaching] });
  const { ask } = serve({ store, runtime, workflows: [teaching], memories: () => memory });
  await memory.write('bob', { kind: 'fact', text: 'is called Bob' });
  const begin = async (): Promise<string> => {
    const run = runtime.start<AnyWorkflow>(teaching, input, { ...thread, metadata });
    expect((await run.result).status).toBe('done');
    return run.id;
  };
  const runId = await begin();
  expect(bytesOf(folder)).toContain(secret);
  const path = 'threadId' in thread ? `/api/threads/${thread.threadId}` : `/api/runs/${runId}`;
  expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { deleted: 1, memories: 1 } });
  expect(bytesOf(folder)).not.toContain('NEEDLE'); // all files are still open
  expect(bytesOf(folder)).toContain('is called Bob');
  await runtime.close();
  await store.close();
  await index.close();
});

it('forgets nothing of an active conversation, and rejects an unknown one', async () => {
  const embedder = hashedEmbedder();
  const memory = createLongTermMemory({ index: memoryIndex({ embedder }), embedder });
  const wrote = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const going = logWorkflow({
    id: 'going',
    initial: 'work',
    states: { work: node('work', 'done'), done: final, failed: failure },
    nodes: {
      async work(_state, io) {
        await io.step('write', async () => ({ remembered: secret, id: (await memory.write('local', { kind: 'fact', text: secret })).id }));
        wrote.resolve();
        await gate.promise;
        return { log: [] };
      },
    },
  });
  const { ask, runtime } = serve({ workflows: [going], memories: () => memory });
  const run = runtime.start(going, {}, { threadId: 'talk' });
  await wrote.promise;
  expect(await ask('DELETE', '/api/threads/talk')).toMatchObject({ status: 409, body: { code: 'RUN_BUSY' } });
  expect(await ask('DELETE', '/api/threads/none')).toMatchObject({ status: 404, body: { code: 'THREAD_UNKNOWN' } });
  expect(await ask('DELETE', '/api/runs/none')).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
  expect(await memory.list('local')).toMatchObject([{ text: secret }]);
  gate.resolve();
  await run.result;
  expect(await ask('DELETE', '/api/threads/talk')).toMatchObject({ status: 200, body: { deleted: 1, memories: 1 } });
  expect(await memory.list('local')).toEqual([]);
  await runtime.close();
});

// S is forked before it takes its second note, and F before its third: what a run has not written itself, it has of its source
const family = { S: undefined, F: { of: 'S', at: 'b#1' }, G: { of: 'F', at: 'c#1' } } as const;
type Member = keyof typeof family;
const ofS = ['S1', 'S2', 'S3'];
const removals: readonly { readonly made: readonly Member[]; readonly removed: readonly Member[]; readonly left: readonly string[] }[] = [
  { made: ['S', 'F'], removed: ['F'], left: ofS },
  { made: ['S', 'F'], removed: ['S'], left: ['F2', 'F3', 'S1'] },
  { made: ['S', 'F'], removed: ['S', 'F'], left: [] },
  { made: ['S', 'F'], removed: ['F', 'S'], left: [] },
  { made: ['S', 'F', 'G'], removed: ['S'], left: ['F2', 'F3', 'G3', 'S1'] },
  { made: ['S', 'F', 'G'], removed: ['F'], left: ['F2', 'G3', ...ofS] },
  { made: ['S', 'F', 'G'], removed: ['G'], left: ['F2', 'F3', ...ofS] },
  { made: ['S', 'F', 'G'], removed: ['S', 'F'], left: ['F2', 'G3', 'S1'] },
  { made: ['S', 'F', 'G'], removed: ['F', 'G'], left: ofS },
  { made: ['S', 'F', 'G'], removed: ['G', 'F', 'S'], left: [] },
  { made: ['S', 'F', 'G'], removed: ['F', 'S', 'G'], left: [] },
  { made: ['S', 'F', 'G'], removed: ['S', 'F', 'G'], left: [] },
];

it.each(removals.flatMap((one) => [undefined, 'talk'].map((threadId) => ({ ...one, threadId }))))(
  'forgets of $made what only $removed had, where S is of the conversation $threadId',
  async ({ made, removed, left, threadId }) => {
    const embedder = hashedEmbedder();
    const memory = createLongTermMemory({ index: memoryIndex({ embedder }), embedder });
    const named = new Map<string, string>();
    let writer = 'S';
    let user = 'bob';
    const input = (): object => ({ userId: user });
    const note = (nth: number): LogHandler => {
      return async (_state, io) => {
        const text = `a note with the number ${Object.keys(family).indexOf(writer)}${nth}`;
        named.set(text, `${writer}${nth}`);
        await io.step('write', async () => ({ remembered: text, id: (await memory.write(user, { kind: 'fact', text })).id }));
        return { log: [] };
      };
    };
    const noting = logWorkflow({
      id: 'noting',
      states: { a: node('first', 'b'), b: node('second', 'c'), c: node('third', 'done'), done: final, failed: failure },
      nodes: { first: note(1), second: note(2), third: note(3) },
    });
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [noting] });
    const { ask } = serve({ store, runtime, workflows: [noting], memories: () => memory });
    // somebody else has been told the same, and has forked that
    const other = runtime.start(noting, input());
    await other.result;
    await (await runtime.fork(other.id, { at: 'c#1' })).result;
    user = 'ada';
    const ids = new Map<Member, string>();
    for (const name of made) {
      writer = name;
      const from = family[name];
      const run = from
        ? await runtime.fork(ids.get(from.of) ?? '', { at: from.at })
        : runtime.start(noting, input(), threadId === undefined ? {} : { threadId });
      expect((await run.result).status).toBe('done');
      ids.set(name, run.id);
    }
    for (const name of removed) {
      const path = name === 'S' && threadId !== undefined ? `/api/threads/${threadId}` : `/api/runs/${ids.get(name)}`;
      expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { deleted: 1 } });
    }
    const texts = (await memory.list('ada')).map(({ text }) => named.get(text));
    expect(texts.sort()).toEqual(left);
    expect(await memory.list('bob')).toHaveLength(3);
    await runtime.close();
  },
);
