// What is removed is gone, from the file too.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRuntime } from 'agent-machines';
import { type SqliteConnection, sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
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

const stores = {
  'a file': (path: string) => sqliteStore({ path }),
  'a database that lets nothing be attached': (path: string) => sqliteStore({ database: withoutVacuum(path) }),
};

it.each(Object.entries(stores))('leaves no byte of a removed conversation in the files of its store: %s', async (_, open) => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-forgotten-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bytes = (): string =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
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
  expect(await ask('DELETE', '/api/threads/NEEDLE')).toMatchObject({ status: 200, body: { deleted: 1 } });
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
