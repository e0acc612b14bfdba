// `agent-machines db forget --user` and `--all`: what is left of a user, and of a whole database.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime } from 'agent-machines';
import { createLongTermMemory } from 'agent-machines/memory';
import { hashedEmbedder } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it } from 'vitest';
import { final, logWorkflow, node, says, waiting } from '../fixtures/log-workflow.ts';
import { command, folder } from './command.ts';

const key = '01'.repeat(31).concat('02');
const talking = logWorkflow({
  states: { a: node('a', 'done'), done: final, failed: final },
  nodes: { a: says('said') },
  thread: { initial: [], next: (_before, { state }) => state.log },
});
const asking = logWorkflow({ id: 'asking', states: { ask: waiting({ GO: 'done' }), done: final } });

const has = (cwd: string, text: string): boolean => readdirSync(cwd).some((name) => readFileSync(join(cwd, name)).includes(text));

/** A folder with runs, conversations and memories of ada and of bob. */
async function lived(env: Readonly<Record<string, string>>): Promise<string> {
  const cwd = folder();
  const encrypt = env.AGENT_MACHINES_KEY === undefined ? {} : { encrypt: { key: env.AGENT_MACHINES_KEY } };
  const store = sqliteStore({ path: join(cwd, 'my.db'), ...encrypt });
  const runtime = createRuntime({ store });
  for (const user of ['ada', 'bob']) {
    const input = { userId: user, log: [`${user} likes swordfish`] };
    for (const turn of [1, 2]) await runtime.start(talking, input, { runId: `r_${user}_${turn}`, threadId: `t_${user}` }).result;
    await store.nameThread(`t_${user}`, `${user} has a title`);
    await runtime.start(asking, input, { runId: `r_${user}_3` }).result;
  }
  await runtime.start(talking, {}, { runId: 'r_none', metadata: { settings: { user: 'ada' } } }).result;
  // a conversation of both
  for (const userId of ['ada', 'bob'])
    await runtime.start(talking, { userId } as never, { runId: `r_both_${userId}`, threadId: 't_both' }).result;
  await runtime.close();
  await store.close();
  const embedder = hashedEmbedder();
  const index = await sqliteIndex({ path: join(cwd, 'my.memory.db'), embedder, wordsOf: () => '' });
  const memory = createLongTermMemory({ index, embedder, ...encrypt });
  for (const user of ['ada', 'bob']) await memory.write(user, { kind: 'fact', text: `${user} plays the harmonica` });
  await index.close();
  return cwd;
}

const texts = ['likes swordfish', 'has a title', 'plays the harmonica'];

it.each([
  ['in clear text', {}],
  ['encrypted', { AGENT_MACHINES_KEY: key }],
])('removes all conversations, runs and memories of a user from a database %s', async (_, env) => {
  const cwd = await lived(env);
  const left = (): readonly string[] => ['ada', 'bob'].filter((user) => texts.some((text) => has(cwd, `${user} ${text}`)));
  const isClear = !('AGENT_MACHINES_KEY' in env);
  expect([left(), has(cwd, 'r_ada_1')]).toEqual([isClear ? ['ada', 'bob'] : [], true]);
  const dry = await command(cwd, ['db', 'forget', '--user', 'ada', '--db', 'my.db', '--dry-run', '--json'], env);
  const counts = { type: 'forgotten', user: 'ada', threads: 2, runs: 6, memories: 1 };
  expect([dry.code, JSON.parse(dry.stdout)]).toEqual([0, { ...counts, dryRun: true }]);
  expect(has(cwd, 'r_ada_1')).toBe(true);
  const { code, stdout } = await command(cwd, ['db', 'forget', '--user', 'ada', '--db', 'my.db', '--json'], env);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ...counts, dryRun: false }]);
  for (const id of ['r_ada', 'r_none', 'r_both', 't_ada', 't_both']) expect([id, has(cwd, id)]).toEqual([id, false]);
  expect([left(), has(cwd, 'r_bob_1')]).toEqual([isClear ? ['bob'] : [], true]);
  const memories = await command(cwd, ['memory', 'list', '--user', 'bob', '--db', 'my.db'], env);
  expect(memories.stdout).toContain('bob plays the harmonica');
  expect((await command(cwd, ['db', 'verify', '--db', 'my.db'], env)).stdout).toContain('3 runs');
  const again = await command(cwd, ['db', 'forget', '--user', 'ada', '--db', 'my.db'], env);
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('Deleted 0 runs')]);
});

it('keeps conversations with a run in progress, removes the others, and names the run', async () => {
  const cwd = await lived({});
  const store = sqliteStore({ path: join(cwd, 'my.db') });
  const { lease } = await store.acquire('r_ada_3', { owner: 'o_1', leaseMs: 30_000, now: Date.now(), monotonic: 0 });
  const { code, stdout } = await command(cwd, ['db', 'forget', '--user', 'ada', '--db', 'my.db', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { runs: 5, memories: 1, busy: ['r_ada_3'] }]);
  await store.settle(lease, { status: 'cancelled', activeMs: 0 });
  await store.close();
  expect((await command(cwd, ['db', 'forget', '--user', 'ada', '--db', 'my.db'])).code).toBe(0);
  expect(has(cwd, 'r_ada')).toBe(false);
});

it.each([
  ['in clear text', {}],
  ['encrypted', { AGENT_MACHINES_KEY: key }],
])('deletes a database %s with its memories, unless it is in use', async (_, env) => {
  const cwd = await lived(env);
  const all = ['db', 'forget', '--all', '--db', 'my.db'];
  expect((await command(cwd, all)).code).toBe(2);
  const dry = await command(cwd, [...all, '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, files: ['my.memory.db', 'my.db'] });
  const open = sqliteStore({ path: join(cwd, 'my.db') });
  await open.tally();
  const refused = await command(cwd, [...all, '--yes']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('STORE_UNAVAILABLE')]);
  await open.close();
  expect(has(cwd, 'r_ada_1')).toBe(true);
  expect((await command(cwd, ['db', 'verify', '--db', 'my.db'])).code).toBe(0);
  expect((await command(cwd, [...all, '--yes'])).code).toBe(0);
  expect(readdirSync(cwd)).toEqual([]);
});

it.each([
  [[]],
  [['t_ada', '--all', '--yes']],
  [['t_ada', '--dry-run']],
  [['--user', 'ada', '--all']],
  [['--user', ' ']],
  [['--user', 'ada', '--db', 'none.db']],
  [['--all', '--yes', '--db', 'postgres://localhost/none']],
])('rejects %j and deletes nothing', async (args) => {
  const cwd = await lived({});
  expect((await command(cwd, ['db', 'forget', '--db', 'my.db', ...args])).code).toBe(2);
  expect([has(cwd, 'r_ada_1'), existsSync(join(cwd, 'none.db'))]).toEqual([true, false]);
  const stranger = await command(cwd, ['db', 'forget', '--user', 'a@b/../%', '--db', 'my.db']);
  expect([stranger.code, stranger.stderr]).toEqual([0, expect.stringContaining('Deleted 0 runs')]);
});
