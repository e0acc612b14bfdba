import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import {
  createRuntime,
  createWorker,
  fleetStates,
  type JournalEntry,
  type JsonObject,
  type LeaseRequest,
  type NewRun,
  type RunResult,
  type RunStore,
} from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { createContractAgent } from 'agent-machines/machines/contract-agent/node';
import { schedule, storedSchedules } from 'agent-machines/schedules';
import { exportRun, importRun } from 'agent-machines/stores';
import { type PostgresClient, type PostgresPool, type PostgresStoreOptions, postgresStore } from 'agent-machines/stores/postgres';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock, runStoreContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { followEvents } from '../../src/server/http/follow-events.ts';
import { postgresStatus } from '../../src/stores/postgres/postgres-status.ts';
import { verifyPostgres } from '../../src/stores/postgres/verify-postgres.ts';
import { folder, ownProcess } from '../cli/command.ts';
import { alternating } from '../fixtures/alternating-stores.ts';
import { mostAtWork } from '../fixtures/bounded-workers.ts';
import { bundle } from '../fixtures/bundle.ts';
import { claimsOfWorkers } from '../fixtures/claims-of-workers.ts';
import { engineContract } from '../fixtures/engine-contract.ts';
import { engineWorkflows } from '../fixtures/engine-workflows.ts';
import { folderForTest, folderForTests } from '../fixtures/folder-for-test.ts';
import { final, type LogHandler, logWorkflow, node, says, waiting } from '../fixtures/log-workflow.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { runtimeProcesses } from '../fixtures/runtime-child.ts';
import { runtimeEngine } from '../fixtures/runtime-engine.ts';
import { spentOfBudget } from '../fixtures/shared-budget.ts';
import { requestsBegun } from '../fixtures/shared-rate.ts';
import { undrivenCases } from '../fixtures/undriven-cases.ts';
import { waitingFor } from '../fixtures/waiting-for.ts';
import { importPg, newPool, type PostgresServer, pgAddress, postgresServer } from './postgres-server.ts';
import { openLedger } from './stores/ledger.ts';

vi.setConfig({ testTimeout: 120_000 });
let server: PostgresServer;
let shared = '';
const pools: PostgresPool[] = [];
beforeAll(async () => {
  server = await postgresServer();
  shared = await server.newDatabase();
  // what the contract asks does not depend on whether a disk has it
  await server.ask(shared, `ALTER DATABASE ${new URL(shared).pathname.slice(1)} SET synchronous_commit = off`);
}, 300_000);
afterAll(async () => {
  for (const pool of pools) void pool.end(); // one of them hangs, and ends with the server
  await server[Symbol.asyncDispose]();
}, 300_000); // a busy disk takes its time to remove its files

let schemas = 0;
const newSchema = (): string => `s${schemas++}`;
const open = (options: Partial<PostgresStoreOptions> = {}): RunStore =>
  postgresStore({ connectionString: shared, schema: newSchema(), poolSize: 3, durability: 'normal', pg: importPg, ...options });

const run = promisify(execFile);
/** A program that is killed at a commit, or on its way there. */
const paying = bundle(['test/system/stores/postgres-process.ts']).then((folder) => join(folder, 'postgres-process.mjs'));

/** A program whose server ends its connections in the packets of its answers. */
const cutting = bundle(['test/system/stores/postgres-cut-process.ts']).then((folder) => join(folder, 'postgres-cut-process.mjs'));

const payingOnFile = bundle(['test/system/stores/sqlite-home-process.ts']).then((folder) => join(folder, 'sqlite-home-process.mjs'));

const newRun: NewRun = { id: 'r_1', workflow: 'example', version: '1', structure: 'structure', ifBusy: 'reject' };
const entry = (seq: number, epoch = 1): JournalEntry => ({
  seq,
  key: `node#${seq}`,
  kind: seq === 1 ? 'start' : 'node',
  outcome: { output: `said ${seq}` },
  events: [],
  epoch,
  at: seq,
});
const start = entry(1);
const request = (owner: string): LeaseRequest => ({ owner, leaseMs: 30_000, now: 0, monotonic: 0 });

const isListening = "datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()";
const count = async (address: string, where: string): Promise<number> =>
  Number((await server.ask(address, `SELECT count(*) AS count FROM pg_stat_activity WHERE ${where}`))[0]?.count);
const listeners = (address: string): Promise<number> => count(address, isListening);
/** This one included. */
const sessions = (address: string): Promise<number> => count(address, 'datname = current_database()');

const outcome = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .catch((cause: unknown) => cause);

type Statement = Parameters<PostgresClient['query']>[0];
type Answer = ReturnType<PostgresClient['query']>;

/** A statement with which something is committed. */
const isCommit = /^COMMIT|^WITH|RETURNING n$/;

/** A pool whose statements go through somebody's hands. */
const wrapped = (pool: PostgresPool, query: (statement: Statement, send: () => Answer) => Answer): PostgresPool => ({
  connect: async () => {
    const client = await pool.connect();
    return new Proxy(client, {
      get(target, name) {
        if (name === 'query') return (statement: Statement) => query(statement, () => target.query(statement));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  },
  on: (event, listener) => pool.on(event, listener),
  removeListener: (event, listener) => pool.removeListener(event, listener),
  end: () => pool.end(),
});

/** A pool of the user's, which is ended with the tests. */
async function userPool(max: number, connectionString = shared): Promise<PostgresPool> {
  const pool = await newPool({ connectionString, max });
  pools.push(pool);
  return pool;
}

const homes: readonly { readonly name: string; readonly create: () => Promise<RunStore> }[] = [
  { name: 'postgresStore on an address', create: async () => open() },
  { name: 'postgresStore behind a pooler', create: async () => open({ pooler: true }) },
  {
    name: 'postgresStore on a pool of one connection',
    create: async () => postgresStore({ pool: pools[0] ?? (await userPool(1)), schema: newSchema(), durability: 'normal' }),
  },
  { name: 'an encrypted postgresStore', create: async () => open({ encrypt: { key: '0123456789abcdef'.repeat(4) } }) },
  {
    name: 'two postgresStores on one database, in turns',
    create: async () => {
      const schema = newSchema();
      return alternating([open({ schema }), open({ schema })]);
    },
  },
];

describe.each(homes)('runStoreContract: $name', ({ create }) => {
  for (const { name, run } of runStoreContract(create)) it(name, run);
});

const one = (handler: LogHandler) => logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: handler } });
/** Of a database of its own, with the tables where they are by default. */
const store = (connectionString: string, options: Partial<PostgresStoreOptions> = {}): RunStore =>
  postgresStore({ connectionString, poolSize: 3, pg: importPg, ...options });
/** A workflow that goes on when it is told to. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const workflow = one(async () => {
    begun.resolve();
    await gate.promise;
    return { log: ['through'] };
  });
  return { workflow, open: gate.resolve, begun: begun.promise };
}

it('keeps the conversations of the contract agent, across its processes', async () => {
  const contract = parseContract({
    name: 'c.md',
    text: '# 계약\n\n제1조(대금) 대금은 100만원으로 한다.\n\n제2조(기간) 기간은 1년으로 한다.',
  });
  const postgres = { connectionString: shared, schema: newSchema(), durability: 'normal', pg: importPg } as const;
  const ask = async (input: string) => {
    const agent = await createContractAgent({ contracts: [{ contract }], persistenceMode: 'postgres', postgres });
    for await (const _ of agent.runStream({ input, sessionId: 's1' }));
    const { turns, state } = await agent.runtime.thread('s1');
    await agent.close();
    return { turns: turns.length, said: JSON.stringify(state) };
  };
  expect(await ask('제1조 내용이 뭐야?')).toMatchObject({ turns: 1, said: expect.stringContaining('제1조') });
  expect(await ask('제2조 내용이 뭐야?')).toMatchObject({ turns: 2, said: expect.stringContaining('제2조') });
});

describe('postgresStore', () => {
  it('creates its tables once, also for concurrent starts', async () => {
    const address = await server.newDatabase();
    const stores = Array.from({ length: 8 }, () => store(address, { poolSize: 1 }));
    expect(await Promise.all(stores.map((one) => one.tally()))).toEqual(stores.map(() => ({ threads: 0, runs: [] })));
    await Promise.all(stores.map((one) => one.close()));
  });

  it('needs no right to create anything in a schema with its tables', async () => {
    const address = await server.newDatabase();
    await store(address).tally();
    await server.ask(address, 'CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA agent_machines TO guest');
    await server.ask(address, 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA agent_machines TO guest');
    await server.ask(address, 'GRANT USAGE ON ALL SEQUENCES IN SCHEMA agent_machines TO guest');
    const guest = store(address.replace('postgres@', 'guest@'));
    const runtime = createRuntime({ store: guest });
    expect(await runtime.start(one(says('a')), {}).result).toMatchObject({ status: 'done', output: 'a' });
    await runtime.close();
    await guest.close();
  });

  it.each([3, 4])('migrates tables of version %i, with their runs', async (version) => {
    const address = await server.newDatabase();
    const before = store(address);
    const { lease } = await before.create(newRun, [start], request('o_1'));
    await before.append(lease, entry(2), 1);
    await before.close();
    await server.ask(
      address,
      `${version === 3 ? 'ALTER TABLE agent_machines.threads DROP COLUMN lists; DROP TABLE agent_machines.thread_parts;' : ''}
       DROP INDEX agent_machines.runs_with_failure; ALTER TABLE agent_machines.runs DROP COLUMN sleeps;
       UPDATE agent_machines.agent_machines SET version = ${version}`,
    );
    const stores = Array.from({ length: 4 }, () => store(address, { poolSize: 1 }));
    const [one = store(address)] = stores;
    for (const record of await Promise.all(stores.map((each) => each.read('r_1')))) expect(record).toMatchObject({ id: 'r_1', seq: 2 });
    await one.append(lease, entry(3), 2);
    expect(await one.journal('r_1')).toEqual([start, entry(2), entry(3)]);
    await one.create({ ...newRun, id: 'r_2', priority: 7 }, [start], request('o_1'));
    expect((await one.list({})).map(({ priority }) => priority)).toEqual([7, undefined]);
    await Promise.all(stores.map((each) => each.close()));
  });

  it('lists the runs of a state or code in the order of an index', async () => {
    const address = await server.newDatabase();
    await store(address).tally();
    const columns =
      'id, workflow, version, structure, status, seq, head, epoch, crashes, active_ms, started_at, updated_at, checksum, heartbeat';
    await server.ask(
      address,
      `INSERT INTO agent_machines.runs (${columns}, failure, sleeps, wake_at)
       SELECT 'r_' || n, 'w' || n % 7, '1', 's', (ARRAY['done', 'done', 'done', 'failed', 'waiting', 'waiting', 'paused', 'queued'])[n % 8 + 1],
         1, '', 1, 0, 0, n, n, '', 0, CASE WHEN n % 800 IN (0, 3) THEN 'TOOL_FAILED' END, CASE WHEN n % 8 = 5 THEN 1 END,
         CASE WHEN n % 16 > 4 THEN 5 END
       FROM generate_series(0, 19999) AS n;
       ANALYZE agent_machines.runs`,
    );
    const asked: Statement[] = [];
    const pool = await newPool({ connectionString: address });
    pools.push(pool);
    const listing = postgresStore({
      pool: wrapped(pool, (statement, send) => {
        asked.push(statement);
        return send();
      }),
    });
    const planOf = async (query: Parameters<RunStore['list']>[0]): Promise<string> => {
      await listing.list({ ...query, limit: 20 });
      const { text = '', values = [] } = asked.at(-1) ?? {};
      const sql = text.replace(/\$(\d+)/g, (_, place: string) => `'${values[Number(place) - 1]}'`);
      return (await server.ask(address, `EXPLAIN ${sql}`)).map((row) => String(row['QUERY PLAN'])).join('\n');
    };
    for (const base of [...fleetStates.map((state) => ({ state })), { code: 'TOOL_FAILED' }, { resultStatus: 'failed' as const }]) {
      for (const more of [{}, { before: 'r_5000' }, { workflow: 'w3' }, { updatedBefore: 9_000 }]) {
        const plan = await planOf({ ...base, ...more });
        expect(plan, JSON.stringify({ ...base, ...more })).toMatch(/Index/);
        expect(plan, JSON.stringify({ ...base, ...more })).not.toContain('Seq Scan');
        // a sort of the few rows of two conditions may be cheaper than their order
        if (!('code' in base || 'workflow' in more || 'updatedBefore' in more))
          expect(plan, JSON.stringify({ ...base, ...more })).not.toMatch(/-> +Sort/);
      }
    }
    expect(await planOf({ state: 'failed' })).toContain('runs_with_failure');
  });

  it('shares the parts of a long list with other stores, and removes them with the thread', async () => {
    const address = await server.newDatabase();
    const stores = [store(address), store(address)] as const;
    const item = (n: number): JsonObject => ({ n, text: `${n} `.repeat(60) });
    const parts = (): Promise<unknown> => server.ask(address, 'SELECT count(*)::int AS count FROM agent_machines.thread_parts');
    for (let turn = 1; turn <= 6; turn++) {
      const [one, other] = turn % 2 === 0 ? stores : ([stores[1], stores[0]] as const);
      const { lease } = await one.create({ ...newRun, id: `r_${turn}`, threadId: 't_1' }, [start], request('o_1'));
      const state = { log: Array.from({ length: 200 }, (_, n) => item(turn * 50 + n)) };
      await one.settle(lease, { status: 'done', activeMs: 0, threadState: state });
      expect((await other.readThread('t_1'))?.state).toEqual(state);
    }
    expect(await parts()).not.toEqual([{ count: 0 }]);
    await server.ask(address, "UPDATE agent_machines.thread_parts SET items = replace(items, '350', '351')");
    await expect(store(address).readThread('t_1')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await stores[0].remove({ threadId: 't_1' });
    expect(await parts()).toEqual([{ count: 0 }]);
  });

  it('rejects tables of a newer or too old version, and those of another program', async () => {
    const address = await server.newDatabase();
    await store(address).tally();
    await server.ask(address, 'UPDATE agent_machines.agent_machines SET version = 2');
    await expect(store(address).tally()).rejects.toMatchObject({ code: 'STORE_VERSION', data: { version: 2, oldest: 3, known: 5 } });
    await expect(verifyPostgres({ connectionString: address, pg: importPg })).rejects.toMatchObject({
      code: 'STORE_VERSION',
      data: { version: 2 },
    });
    expect(await postgresStatus({ connectionString: address, pg: importPg })).toMatchObject({ state: 'unsupported', version: 2 });
    await server.ask(address, 'UPDATE agent_machines.agent_machines SET version = 99');
    await expect(store(address).tally()).rejects.toMatchObject({ code: 'STORE_VERSION', data: { version: 99 } });
    await server.ask(address, 'CREATE SCHEMA theirs; CREATE TABLE theirs.runs (a int)');
    await expect(store(address, { schema: 'theirs' }).tally()).rejects.toMatchObject({ code: 'STORE_VERSION', data: { schema: 'theirs' } });
    expect(await server.ask(address, "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'")).toEqual([{ tablename: 'runs' }]);
  });

  it('rejects a server without durable commits, and a database without full Unicode', async () => {
    const address = await server.newDatabase();
    await server.ask(address, `ALTER DATABASE ${new URL(address).pathname.slice(1)} SET synchronous_commit = off`);
    await expect(store(address).tally()).rejects.toMatchObject({ code: 'OPTION_INVALID', data: { setting: 'synchronous_commit' } });
    expect(await store(address, { durability: 'normal' }).tally()).toEqual({ threads: 0, runs: [] });
    const latin = await server.newDatabase("ENCODING 'LATIN1' TEMPLATE template0");
    await expect(store(latin).tally()).rejects.toMatchObject({ code: 'OPTION_INVALID', data: { option: 'database' } });
  });

  it.each([
    ['a run', "UPDATE runs SET status = 'waiting'"],
    ['the length of a journal', 'UPDATE runs SET seq = seq + 1'],
    ['a number that is too large', 'UPDATE runs SET epoch = 9007199254740993'],
    ['a lease', 'UPDATE runs SET heartbeat = 9223372036854775807'],
    ['what was said', "UPDATE journal SET outcome = replace(outcome, 'a', 'b') WHERE seq = 2"],
    ['a last entry', 'DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)'],
    ['a first entry', 'DELETE FROM journal WHERE seq = 1'],
    ['an order', 'UPDATE journal SET seq = 10 - seq'],
    [
      'an entry of another run',
      'INSERT INTO journal SELECT run, 4, key, kind, outcome, events, epoch, at, checksum FROM journal WHERE seq = 2',
    ],
  ])('detects a change of %s', async (_, sql) => {
    const address = await server.newDatabase();
    const changed = store(address);
    const runtime = createRuntime({ store: changed });
    const run = runtime.start(one(says('a')), {});
    await run.result;
    await server.ask(address, `SET search_path = agent_machines; ${sql}`);
    await expect(async () => changed.journal(run.id)).rejects.toMatchObject({ code: expect.stringMatching(/^JOURNAL_(CORRUPT|MISSING)$/) });
    await runtime.close();
    await changed.close();
  });

  it('detects a changed or lost thread state', async () => {
    const address = await server.newDatabase();
    const changed = store(address);
    await changed.create({ ...newRun, threadId: 't_1' }, [start], request('o_1'));
    await server.ask(address, "UPDATE agent_machines.threads SET state = '1'");
    await expect(async () => changed.readThread('t_1')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await server.ask(address, 'DELETE FROM agent_machines.threads');
    await expect(async () => changed.readThread('t_1')).rejects.toMatchObject({ code: 'THREAD_LOST' });
    await changed.close();
  });

  it('hides the password', async () => {
    const address = `${(await server.newDatabase()).replace('postgres@', 'postgres:s3cret@').replace(/:\d+\//, ':1/')}?password=s3cret2`;
    const failure = await outcome(() => store(address, { patienceMs: 0 }).tally());
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(inspect(failure, { depth: 9 })).not.toMatch(/s3cret/);
  });

  it('sends one query for each commit of a run, and one more to read a thread', async () => {
    const asked: string[] = [];
    const pool = wrapped(await userPool(1), (statement, send) => {
      if (!statement.text.includes('pg_notify')) asked.push(statement.text);
      return send();
    });
    const counting = postgresStore({ pool, schema: newSchema(), durability: 'normal' });
    await counting.tally();
    const times = async (work: () => unknown): Promise<number> => {
      asked.length = 0;
      await work();
      return asked.length;
    };
    const { lease } = await counting.create(newRun, [start], request('o_1'));
    const other = await counting.create({ ...newRun, id: 'r_2' }, [start], request('o_1'));
    expect({
      create: await times(() => counting.create({ ...newRun, id: 'r_3' }, [start], request('o_1'))),
      append: await times(() => counting.append(lease, entry(2), 1)),
      renew: await times(() => counting.renew(lease, request('o_1'))),
      settle: await times(() => counting.settle(lease, { status: 'done', activeMs: 1, entry: entry(3) })),
      pause: await times(() => counting.settle(other.lease, { status: 'paused', activeMs: 1 })),
    }).toEqual({ create: 1, append: 1, renew: 1, settle: 1, pause: 1 });
    expect(await counting.list({})).toMatchObject([{ status: 'running' }, { status: 'paused' }, { status: 'done', seq: 3 }]);
    for (const turn of [1, 2]) {
      const [id, epoch] = [`turn_${turn}`, 1];
      expect({
        create: await times(() => counting.create({ ...newRun, id, threadId: 't_1' }, [start], request('o_1'))),
        renew: await times(() => counting.renew({ runId: id, epoch }, request('o_1'))),
        settle: await times(() =>
          counting.settle({ runId: id, epoch }, { status: 'done', activeMs: 1, entry: entry(2), threadState: turn }),
        ),
      }).toEqual({ create: 2, renew: 1, settle: 2 });
      expect(await counting.readThread('t_1')).toEqual({ id: 't_1', workflow: 'example', revision: turn, state: turn });
    }
    expect((await counting.journal('r_1')).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const again = await outcome(() => counting.create(newRun, [start], request('o_1')));
    expect(again).toMatchObject({ code: 'RUN_EXISTS' });
    expect(await outcome(() => counting.append(lease, entry(4), 1))).toMatchObject({ code: 'RUN_FENCED' });
    await counting.close();
  });

  describe('a thread that others change after it was read', () => {
    const ended = { status: 'done', activeMs: 1, entry: entry(2), threadState: 'said' } as const;
    const inThread = { ...newRun, threadId: 't_1' };

    /** Two stores on one schema, with a thread that nobody has. What is given to `meanwhile` happens when the first one has looked at it next. */
    async function pair() {
      const schema = newSchema();
      const others = open({ schema });
      const before = await others.create({ ...inThread, id: 'before' }, [start], request('o_2'));
      await others.settle(before.lease, ended);
      let next: (() => Promise<unknown>) | undefined;
      const pool = wrapped(await userPool(1), async (statement, send) => {
        const answer = await send();
        if (!statement.text.startsWith('SELECT t.xmin')) return answer;
        const work = next;
        next = undefined;
        await work?.();
        return answer;
      });
      const theirs = postgresStore({ pool, schema, durability: 'normal' });
      const meanwhile = (work: () => Promise<unknown>): void => {
        next = work;
      };
      return { theirs, others, meanwhile, isOver: () => next === undefined };
    }

    it('stays with the run that waits for it, though it looks unchanged', async () => {
      const { theirs, others, meanwhile, isOver } = await pair();
      meanwhile(async () => {
        const passing = await others.create({ ...inThread, id: 'passing' }, [start], request('o_2'));
        await others.create({ ...inThread, id: 'waits', ifBusy: 'queue' }, [start], request('o_2'));
        await others.settle(passing.lease, { status: 'failed', activeMs: 1, entry: entry(2) });
      });
      expect(await outcome(() => theirs.create(inThread, [start], request('o_1')))).toMatchObject({ code: 'THREAD_BUSY' });
      expect([isOver(), await theirs.read('r_1')]).toEqual([true, undefined]);
      expect((await others.acquire('waits', request('o_2'))).thread).toMatchObject({ activeRun: 'waits', state: 'said' });
      for (const store of [theirs, others]) await store.close();
    });

    it('keeps its name', async () => {
      const { theirs, others, meanwhile, isOver } = await pair();
      const { lease } = await theirs.create(inThread, [start], request('o_1'));
      meanwhile(async () => others.nameThread('t_1', 'a name'));
      await theirs.settle(lease, { ...ended, threadState: 'more' });
      const expected = { id: 't_1', workflow: 'example', revision: 2, state: 'more', title: 'a name' };
      expect([isOver(), await others.readThread('t_1')]).toEqual([true, expected]);
      for (const store of [theirs, others]) await store.close();
    });

    it('is not written by a superseded owner', async () => {
      const { theirs, others, meanwhile, isOver } = await pair();
      const { lease } = await theirs.create(inThread, [start], request('o_1'));
      meanwhile(async () => others.acquire('r_1', { ...request('o_2'), force: true }));
      expect(await outcome(() => theirs.settle(lease, { ...ended, threadState: 'more' }))).toMatchObject({ code: 'RUN_FENCED' });
      expect([isOver(), await others.readThread('t_1')]).toMatchObject([true, { revision: 1, state: 'said', activeRun: 'r_1' }]);
      expect(await others.journal('r_1')).toHaveLength(1);
      for (const store of [theirs, others]) await store.close();
    });

    it('is created once', async () => {
      const { theirs, others, meanwhile, isOver } = await pair();
      meanwhile(async () => others.create({ ...newRun, id: 'faster', threadId: 't_2' }, [start], request('o_2')));
      const late = outcome(() => theirs.create({ ...newRun, threadId: 't_2' }, [start], request('o_1')));
      expect(await late).toMatchObject({ code: 'THREAD_BUSY' });
      expect([isOver(), (await others.list({ threadId: 't_2' })).map(({ id }) => id)]).toEqual([true, ['faster']]);
      for (const store of [theirs, others]) await store.close();
    });
  });

  it('holds no connection while runs work, and manages with one', async () => {
    const address = await server.newDatabase();
    const pool = await userPool(1, address);
    const shared = postgresStore({ pool });
    const runtime = createRuntime({ store: shared });
    const { workflow, open } = gated();
    const runs = Array.from({ length: 30 }, () => runtime.start(workflow, {}));
    await vi.waitFor(async () => expect((await shared.tally()).runs).toMatchObject([{ state: 'running', count: 30 }]), 30_000);
    open();
    for (const run of runs) expect(await run.result).toMatchObject({ status: 'done', output: 'through' });
    await runtime.close();
    await shared.close();
  });

  it('leaves connections to all stores on one pool, despite their listeners', async () => {
    const pool = await userPool(2, await server.newDatabase());
    const stores = ['one', 'two', 'three'].map((schema) => postgresStore({ pool, schema }));
    const runtimes = stores.map((one) => createRuntime({ store: one }));
    const workflow = one(says('a'));
    for (let round = 0; round < 2; round++) {
      const runs = runtimes.map((runtime) => runtime.start(workflow, {}));
      for (const begun of runs) expect(await begun.result).toMatchObject({ status: 'done', output: 'a' });
    }
    for (const runtime of runtimes) await runtime.close();
    for (const each of stores) await each.close();
  });

  it('listens to a pool and its connections once for all stores', async () => {
    const pool = await newPool({ connectionString: await server.newDatabase(), max: 1 });
    pools.push(pool);
    const most = { pool: 0, client: 0 };
    const counted = (): void => {
      most.pool = Math.max(most.pool, pool.listenerCount('error'), pool.listenerCount('acquire'));
    };
    pool.on('acquire', (client) => {
      most.client = Math.max(most.client, client.listenerCount('error'));
      counted();
    });
    const sharing = Array.from({ length: 12 }, () => postgresStore({ pool }));
    await Promise.all(Array.from({ length: 60 }, async (_, at) => sharing[at % 12]?.tally()));
    for (const one of sharing) await one.close();
    counted();
    const client = await pool.connect();
    expect({ ...most, left: [pool.listenerCount('error'), pool.listenerCount('acquire'), client.listenerCount('error')] }).toEqual({
      pool: 2, // and the one of these tests
      client: 2, // and the pool's
      left: [1, 1, 0],
    });
    client.release();
  });

  it('accepts a pool that supports a single event', async () => {
    const pool = await newPool({ connectionString: await server.newDatabase(), max: 1 });
    pools.push(pool);
    const lost = new Error('a connection was lost while it was idle');
    const knowing: PostgresPool = {
      connect() {
        pool.emit('error', lost);
        return pool.connect();
      },
      on: (_event, listener) => pool.on('error', listener),
      removeListener: (_event, listener) => pool.removeListener('error', listener),
      end: () => pool.end(),
    };
    const shared = postgresStore({ pool: knowing });
    expect(await shared.tally()).toEqual({ threads: 0, runs: [] });
    await shared.close();
    expect(pool.listenerCount('error')).toBe(1);
  });

  it('accepts a client of the user, and leaves it open', async () => {
    const { Client } = await importPg();
    const client = new Client({ connectionString: await server.newDatabase() });
    await client.connect();
    const shared = postgresStore({ client });
    const runtime = createRuntime({ store: shared });
    const workflow = one(says('a'));
    const runs = Array.from({ length: 5 }, () => runtime.start(workflow, {}));
    for (const run of runs) expect(await run.result).toMatchObject({ status: 'done' });
    await runtime.close();
    await shared.close();
    expect((await client.query({ text: 'SELECT count(*)::int AS runs FROM agent_machines.runs' })).rows).toEqual([{ runs: 5 }]);
    await client.end();
  });

  it('reads numbers under any type parser of pg', async () => {
    const pool = await newPool({
      connectionString: await server.newDatabase(),
      max: 2,
      types: { getTypeParser: () => () => 'something else' },
    });
    pools.push(pool);
    const shared = postgresStore({ pool });
    const runtime = createRuntime({ store: shared });
    expect(await runtime.start(one(says('a')), {}).result).toMatchObject({ status: 'done', output: 'a' });
    await runtime.close();
    await shared.close();
  });
});

describe('the runtime on PostgreSQL', () => {
  const effects = join(folderForTests('postgres-engine-'), 'effects.txt');
  writeFileSync(effects, '');
  let engine: ReturnType<typeof runtimeEngine>;
  beforeAll(() => {
    const store = open();
    engine = runtimeEngine(() => store, engineWorkflows(effects), effects);
  });
  afterAll(() => engine[Symbol.asyncDispose]());
  engineContract(async () => engine);
});

describe('a run that is started with drive: false, in PostgreSQL', () => undrivenCases(() => open()));

describe('a server that restarts', () => {
  it('is awaited in the middle of a run, which repeats nothing', async () => {
    const address = await server.newDatabase();
    const pool = await userPool(3, address);
    const shared = postgresStore({ pool, patienceMs: 60_000 });
    const calls: number[] = [];
    const runtime = createRuntime({ store: shared });
    const run = runtime.start(
      one(async (_state, io) => {
        for (let call = 0; call < 40; call++) {
          await io.step(`call ${call}`, async () => {
            calls.push(call);
            if (call % 10 === 5) void restart(call % 20 === 5 ? 'immediate' : 'fast');
            return call;
          });
        }
        return { log: ['called'] };
      }),
      {},
    );
    const restarts: Promise<void>[] = [];
    const restart = (how: 'immediate' | 'fast'): Promise<void> => {
      const done = server.stop(how).then(() => server.start());
      restarts.push(done);
      return done;
    };
    const result = await run.result;
    await Promise.all(restarts); // also when it has failed: the tests behind it need the server
    expect(result).toMatchObject({ status: 'done', output: 'called' });
    expect(restarts).toHaveLength(4);
    expect(calls).toEqual(Array.from({ length: 40 }, (_, call) => call));
    expect((await shared.journal(run.id)).filter(({ kind }) => kind === 'step')).toHaveLength(40);
    await runtime.close();
    await shared.close();
  });

  it.each([
    { home: 'address', outcomes: ['done'] },
    { home: 'pool', outcomes: ['done'] },
    { home: 'client', outcomes: ['STORE_UNAVAILABLE', 'done'] }, // it is lost until the user brings another one
  ])('may end a connection with any answer it gives: $home', async ({ home, outcomes }) => {
    const { stdout, stderr } = await run(process.execPath, [await cutting, home, await server.newDatabase()], {
      env: { ...process.env, PG_PACKAGE: pgAddress },
    });
    const said = JSON.parse(stdout) as readonly string[];
    expect(said.length, stderr).toBeGreaterThan(6);
    expect([...new Set(said)], stderr).toEqual(outcomes);
  });

  it('is reported as gone when it stays away longer than the timeout', async () => {
    const shared = store((await server.newDatabase()).replace(/:\d+\//, ':1/'), { patienceMs: 100 });
    await expect(async () => shared.tally()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    await shared.close();
  });

  const asked = ['create', 'append', 'renew', 'settle', 'cancel', 'acquire', 'remove'] as const;
  it.each(asked.flatMap((what) => (['t_1', undefined] as const).map((threadId) => ({ what, threadId }))))(
    'has done once what it was asked, when it is lost in $what, with the thread $threadId',
    async ({ what, threadId }) => {
      // the connection ends when the server has committed, before it can say so
      let isCut = false;
      const pool = await userPool(1);
      const cutting = wrapped(pool, async ({ text }, send) => {
        const answer = await send();
        if (!isCut || !isCommit.test(text)) return answer;
        isCut = false;
        throw new Error('Connection terminated unexpectedly');
      });
      const shared = postgresStore({ pool: cutting, schema: newSchema(), durability: 'normal' });
      const cut = async <T>(named: typeof what, work: () => T): Promise<Awaited<T>> => {
        isCut = named === what;
        return await work();
      };
      const { lease } = await cut('create', () => shared.create({ ...newRun, threadId }, [start], request('o_1')));
      await cut('append', () => shared.append(lease, entry(2), 1));
      await cut('renew', () => shared.renew(lease, request('o_1')));
      await shared.append(lease, entry(3), 1);
      const said = threadId === undefined ? {} : { threadState: 'said' };
      await cut('settle', () => shared.settle(lease, { status: 'waiting', activeMs: 1, entry: entry(4), ...said }));
      await shared.create({ ...newRun, id: 'r_2', threadId: threadId && 't_2' }, [start], request('o_1'));
      const cancelled = await cut('cancel', () => shared.cancel('r_2', { now: 1, seen: { seq: 1, events: 0 } }));
      expect([cancelled.record, cancelled.entry.seq]).toEqual([await shared.read('r_2'), 2]);
      expect(cancelled.record).toMatchObject({ status: 'cancelled', epoch: 2 });
      const second = await cut('acquire', () => shared.acquire('r_1', request('o_2')));
      expect([second.lease.epoch, second.record.seq]).toEqual([2, 4]);
      await shared.settle(second.lease, { status: 'done', activeMs: 1, entry: entry(5, 2), ...said });
      expect((await shared.journal('r_1')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
      if (threadId !== undefined) expect((await shared.readThread(threadId))?.revision).toBe(2);
      expect(await cut('remove', () => shared.remove(threadId === undefined ? { runId: 'r_1' } : { threadId }))).toBe(1);
      expect([isCut, (await shared.list({})).map(({ id }) => id)]).toEqual([false, ['r_2']]);
      await shared.close();
    },
  );
});

describe('changes by other processes', () => {
  it('wake the reader of a run without a poll', async () => {
    const address = await server.newDatabase();
    const [ours, theirs] = [store(address), store(address)];
    const driver = createRuntime({ store: theirs });
    const { workflow, open, begun } = gated();
    const run = driver.start(workflow, {});
    await begun;
    const stopped = fakeClock(); // no pause ever ends by itself
    const reader = createRuntime({ store: ours, workflows: [workflow], clock: stopped });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { event } of followEvents({ runtime: reader, store: ours, clock: stopped }, run.id, {})) seen.push(event.type);
    })();
    await vi.waitFor(() => expect(seen).toContain('run-start'), 10_000);
    open();
    await reading;
    expect(seen.at(-1)).toBe('run-end');
    for (const runtime of [reader, driver]) await runtime.close();
    for (const one of [ours, theirs]) await one.close();
  });

  it('wake the reader of a run after the listening connection was lost', async () => {
    const address = await server.newDatabase();
    const [ours, theirs] = [store(address), store(address)];
    const driver = createRuntime({ store: theirs });
    const { workflow, open, begun } = gated();
    const run = driver.start(workflow, {});
    await begun;
    const reader = createRuntime({ store: ours, workflows: [workflow], clock: fakeClock() });
    const followed = reader.start(workflow, {}, { runId: run.id });
    await vi.waitFor(async () => expect(await listeners(address)).not.toBe(0), 10_000);
    await server.ask(address, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isListening}`);
    open();
    expect(await followed.result).toMatchObject({ status: 'done', output: 'through' });
    for (const runtime of [reader, driver]) await runtime.close();
    for (const one of [ours, theirs]) await one.close();
  });

  it('wake a run that was cancelled elsewhere', async () => {
    const address = await server.newDatabase();
    const [ours, theirs] = [store(address), store(address)];
    const clock = fakeClock();
    const driver = createRuntime({ store: theirs, clock });
    const { workflow, begun } = gated();
    const run = driver.start(workflow, {});
    await begun;
    await vi.waitFor(async () => expect(await listeners(address)).not.toBe(0), 10_000);
    const other = createRuntime({ store: ours, workflows: [workflow] });
    await other.cancel(run.id);
    const result = run.result;
    let isOver = false;
    void result.then(() => {
      isOver = true;
    });
    // it looks what has become of the run a few times; leases are not looked at before 200 ms
    for (let looks = 0; looks < 7 && !isOver; looks++) await vi.waitFor(() => clock.advance(25));
    await vi.waitFor(() => expect(isOver).toBe(true), 10_000);
    expect([(await result).status, clock.monotonic() < 200]).toEqual(['cancelled', true]);
    for (const runtime of [other, driver]) await runtime.close();
    for (const one of [ours, theirs]) await one.close();
  });

  it('wake an answer that waits for the run to be free', async () => {
    const address = await server.newDatabase();
    const [ours, theirs] = [store(address), store(address)];
    const workflow = logWorkflow({ states: { ask: waiting({ GO: 'done' }), done: final } });
    const runtime = createRuntime({ store: ours, workflows: [workflow], clock: fakeClock() });
    const { id, result } = runtime.start(workflow, {});
    const { interruptId } = { interruptId: waitingFor(await result).id };
    const { lease, record } = await theirs.acquire(id, { ...request('o_2'), force: true });
    const sent = runtime.send(id, { type: 'GO' }, { interruptId });
    await vi.waitFor(async () => expect(await listeners(address)).not.toBe(0), 10_000);
    await theirs.settle(lease, { status: 'waiting', activeMs: record.activeMs });
    expect(await (await sent).result).toMatchObject({ status: 'done' });
    await runtime.close();
    for (const one of [ours, theirs]) await one.close();
  });
});

describe('a machine whose wall clock is two hours ahead', () => {
  it("follows the server's clock for timers, due runs and schedules", async () => {
    const [hourMs, minuteMs] = [3_600_000, 60_000];
    const machine = Date.now.bind(Date);
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => machine() + 2 * hourMs);
    onTestFinished(() => ahead.mockRestore());
    const opened = open();
    const sleeps = logWorkflow({ id: 'sleeps', initial: 'sleep', states: { sleep: { after: { [hourMs]: 'done' } }, done: final } });
    const runtime = createRuntime({ store: opened, workflows: [sleeps] });
    const run = runtime.start(sleeps, {});
    expect(await run.result).toMatchObject({ status: 'waiting' });
    const { wakeAt = 0, startedAt } = (await opened.read(run.id)) ?? {};
    expect(Math.abs(wakeAt - machine() - hourMs)).toBeLessThan(10 * minuteMs);
    expect(Math.abs((startedAt ?? 0) - machine())).toBeLessThan(10 * minuteMs);
    expect((await createRuntime({ store: opened, workflows: [sleeps] }).recover()).taken).toEqual([]);
    const fired = Promise.withResolvers<number>();
    const worker = createWorker({
      store: opened,
      schedules: [schedule(one(says('a')), {}, { cron: '* * * * * *', timeZone: 'UTC' })],
      onEvent: (event) => event.type === 'fired' && fired.resolve(event.dueMs),
    });
    expect(Math.abs((await fired.promise) - machine())).toBeLessThan(10 * minuteMs);
    await worker.close();
    await runtime.close();
    await opened.close();
  });
});

describe('a schedule in the database', () => {
  it('is started once per time by workers on two connections, and costs the same after a day and after a year', async () => {
    const address = await server.newDatabase();
    const report = logWorkflow({ id: 'report', states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: says('a') } });
    const clock = fakeClock(Date.parse('2026-01-01T00:00:30Z'));
    const stores = [store(address), store(address), store(address)] as const;
    const [first] = stores;
    const runtime = createRuntime({ store: first, clock, workflows: [report] });
    const schedules = storedSchedules(runtime);
    await schedules.add({ workflow: 'report', input: {}, cron: '*/5 * * * *', timeZone: 'UTC', overlap: 'allow' });
    const startAfter = async (ms: number): Promise<readonly number[]> => {
      await clock.advance(ms);
      const fired: number[] = [];
      const workers = stores.slice(1).map((each) =>
        createWorker({
          store: each,
          clock,
          workflows: [report],
          pollMs: 50,
          onEvent: (event) => event.type === 'fired' && fired.push(event.dueMs),
        }),
      );
      const dueMs = Math.floor(clock.now() / 300_000) * 300_000;
      while ((await schedules.get('report')).lastMs !== dueMs) await clock.advance(50);
      await Promise.all(workers.map((worker) => worker.close()));
      return fired;
    };
    expect(await startAfter(86_400_000)).toHaveLength(1);
    expect(await startAfter(365 * 86_400_000)).toHaveLength(1);
    expect(await schedules.get('report')).toMatchObject({ started: 2 });
    expect(await runtime.list({ workflow: 'report' })).toHaveLength(2);
    await runtime.close();
    for (const each of stores) await each.close();
  });
});

describe('a run with many cancels', () => {
  /** Runtimes on four stores of four connections each. */
  async function crowd(callers: number) {
    const address = await server.newDatabase();
    const stores = Array.from({ length: 4 }, () => store(address, { poolSize: 4 }));
    const [first] = stores;
    if (!first) throw new Error('There is no store.');
    const runtimes = Array.from({ length: callers }, (_, index) => createRuntime({ store: stores[index % stores.length] ?? first }));
    const close = async (): Promise<void> => {
      for (const runtime of runtimes) await runtime.close();
      for (const each of stores) await each.close();
    };
    return { first, runtimes, close };
  }

  it('ends in one epoch for one of 256 callers', async () => {
    const { first, runtimes, close } = await crowd(256);
    const driver = createRuntime({ store: first });
    const { workflow, begun } = gated();
    const driven = driver.start(workflow, {}, { threadId: 't' });
    await begun;
    const asking = driver.start(logWorkflow({ id: 'asks', states: { ask: waiting({ GO: 'done' }), done: final } }), {});
    await asking.result;
    for (const { id } of [driven, asking]) {
      const outcomes = await Promise.all(
        runtimes.map((runtime) => runtime.cancel(id).catch(({ code, data }) => `${code} ${data?.status}`)),
      );
      expect(outcomes.filter((said) => said === undefined)).toHaveLength(1);
      expect(outcomes.filter((said) => said === 'RUN_ENDED cancelled')).toHaveLength(255);
      expect(await first.read(id)).toMatchObject({ status: 'cancelled', epoch: 2, crashes: 0 });
      expect((await first.journal(id)).filter(({ epoch }) => epoch === 2)).toMatchObject([
        { kind: 'settle', outcome: { status: 'cancelled' } },
      ]);
    }
    expect(await driven.result).toEqual({ status: 'cancelled' });
    expect((await first.readThread('t'))?.activeRun).toBeUndefined();
    await driver.close();
    await close();
  });

  it('is replaced by each of 60 messages to its thread, and each run ends in one epoch', async () => {
    const { first, runtimes, close } = await crowd(60);
    const { workflow, begun } = gated();
    const driver = createRuntime({ store: first });
    const held = driver.start(workflow, {}, { threadId: 't' });
    await begun;
    const runs = runtimes.map((runtime) => runtime.start(workflow, {}, { threadId: 't', ifBusy: 'cancel-and-replace' }));
    await Promise.all(
      runs.map(async (each) => {
        for await (const { type } of each.events()) if (type === 'node-start') return;
      }),
    );
    const records = await first.list({ threadId: 't' });
    expect(records.map(({ status }) => status)).toEqual(['running', ...Array(60).fill('cancelled')]);
    expect(records.every(({ epoch, crashes }) => epoch <= 2 && crashes === 0)).toBe(true);
    expect((await first.readThread('t'))?.activeRun).toBe(records[0]?.id);
    expect(await held.result).toEqual({ status: 'cancelled' });
    await driver.close();
    await close();
  });
});

describe('processes on one database', () => {
  const processes = runtimeProcesses('postgres-');
  const env = { PG_PACKAGE: pgAddress };

  it('resume a run after a kill at any commit, and repeat no step', async () => {
    const program = await paying;
    let kills = 0;
    for (;;) {
      await using ledger = await openLedger();
      const address = await server.newDatabase();
      const child = spawn(process.execPath, [program, 'run', address, ledger.url], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ...env },
      });
      ledger.killAt(kills + 1, () => child.kill('SIGKILL'));
      const [, signal] = await once(child, 'close');
      if (signal === null) break;
      kills++;
      const { stdout } = await run(process.execPath, [program, 'run', address, ledger.url], { env: { ...process.env, ...env } });
      expect(JSON.parse(stdout), ledger.told.join()).toMatchObject({ status: 'done', output: 'drafted,paid,post' });
      expect(ledger.paid, ledger.told.join()).toEqual(['rent', 'tax', 'post']);
    }
    expect(kills).toBeGreaterThan(10);
  }, 600_000);

  it('finish a run of a SQLite file after a kill at any commit, and repeat no step', async () => {
    const program = await paying;
    const onFile = await payingOnFile;
    let kills = 0;
    for (;;) {
      await using ledger = await openLedger();
      const path = processes.newPath();
      const child = spawn(process.execPath, [onFile, 'file', 'run', path, ledger.url], { stdio: ['ignore', 'pipe', 'inherit'] });
      ledger.killAt(kills + 1, () => child.kill('SIGKILL'));
      const [, signal] = await once(child, 'close');
      if (signal === null) break;
      kills++;
      const address = await server.newDatabase();
      const [from, to] = [sqliteStore({ path }), store(address)];
      const document = JSON.stringify(await exportRun(from, 'r_1'));
      expect(await importRun(to, document)).toMatchObject({ isNew: true, isSnapshot: false });
      for (const one of [from, to]) await one.close();
      const { stdout } = await run(process.execPath, [program, 'run', address, ledger.url], { env: { ...process.env, ...env } });
      expect(JSON.parse(stdout), ledger.told.join()).toMatchObject({ status: 'done', output: 'drafted,paid,post' });
      expect(ledger.paid, ledger.told.join()).toEqual(['rent', 'tax', 'post']);
    }
    expect(kills).toBeGreaterThan(10);
  }, 600_000);

  it('resume a run whose process was killed during any of its commits', async () => {
    const program = await paying;
    let kills = 0;
    for (let place = 1; ; place++) {
      await using ledger = await openLedger();
      const address = await server.newDatabase();
      const killed = await run(process.execPath, [program, 'run', address, ledger.url], {
        env: { ...process.env, ...env, KILL_AT: String(place) },
      }).catch((cause: { readonly signal?: unknown }) => cause);
      if (!('signal' in killed)) break;
      expect(killed.signal).toBe('SIGKILL');
      kills++;
      const { stdout } = await run(process.execPath, [program, 'run', address, ledger.url], { env: { ...process.env, ...env } });
      expect(JSON.parse(stdout), `${place}: ${ledger.told.join()}`).toMatchObject({ status: 'done', output: 'drafted,paid,post' });
      expect(ledger.paid, `${place}: ${ledger.told.join()}`).toEqual(['rent', 'tax', 'post']);
    }
    expect(kills).toBeGreaterThan(10);
  }, 600_000);

  it('create all tables or none when their process is killed at any point', async () => {
    const program = await paying;
    const counts = new Set<number>();
    for (let place = 1; ; place++) {
      const address = await server.newDatabase();
      const killed = await run(process.execPath, [program, 'open', address], {
        env: { ...process.env, ...env, KILL_AT: String(place) },
      }).catch((cause: { readonly signal?: unknown }) => cause);
      if (!('signal' in killed)) break;
      await vi.waitFor(async () => expect(await sessions(address)).toBe(1), 10_000); // what was on its way has arrived
      const tables = await server.ask(address, "SELECT tablename FROM pg_tables WHERE schemaname = 'agent_machines'");
      counts.add(tables.length);
      const opened = store(address);
      expect(await opened.tally()).toEqual({ threads: 0, runs: [] });
      await opened.close();
    }
    expect([...counts].sort()).toEqual([0, 7]);
  }, 600_000);

  it.each([
    { of: 'of a workflow', concurrency: { total: 4, perWorkflow: 2, perKey: 99 }, kills: 2, expected: { ofWorkflow: 2 } },
    { of: 'of a key', concurrency: { total: 4, perKey: 1 }, kills: 0, expected: { ofKey: 1, ofAll: 2 } },
  ])(
    'never exceed the limit of $of in their workers, after any kill',
    async ({ concurrency, kills, expected }) => {
      const address = await server.newDatabase();
      const ours = store(address);
      const found = await mostAtWork({ place: address, store: ours, file: processes.newPath(), concurrency, workers: 4, kills, env });
      expect(found).toMatchObject(expected);
      expect(found.killedAtWork).toBeGreaterThanOrEqual(kills);
      await ours.close();
    },
    120_000,
  );

  it('let a worker acquire another run while the first one is busy', async () => {
    const address = await server.newDatabase();
    const [ours, theirs] = [store(address), store(address)];
    for (const id of ['r_1', 'r_2']) {
      const { lease } = await ours.create({ ...newRun, id }, [start], request('o_1'));
      await ours.settle(lease, { status: 'paused', activeMs: 0, wakeAt: 1 });
    }
    const pool = await userPool(1, address);
    const client = await pool.connect();
    await client.query({ text: 'BEGIN' });
    await client.query({ text: "SELECT 1 FROM agent_machines.runs WHERE id = 'r_1' FOR UPDATE" });
    const refused = await outcome(() => theirs.acquire('r_1', { ...request('o_2'), atOnce: true }));
    expect(refused).toMatchObject({ code: 'RUN_BUSY', data: { heldBack: true } });
    expect((await theirs.acquire('r_2', { ...request('o_2'), atOnce: true })).record.status).toBe('running');
    expect(await outcome(() => theirs.acquire('r_3', { ...request('o_2'), atOnce: true }))).toMatchObject({ code: 'RUN_UNKNOWN' });
    await client.query({ text: 'ROLLBACK' });
    client.release();
    expect((await theirs.acquire('r_1', { ...request('o_2'), atOnce: true })).record.status).toBe('running');
    for (const one of [ours, theirs]) await one.close();
  });

  it('have workers that do not compete for the same runs', async () => {
    const address = await server.newDatabase();
    const ours = store(address);
    const { claims, refused } = await claimsOfWorkers(address, ours, 120, 5, env);
    expect(claims - refused).toBe(120);
    expect(refused).toBeLessThan(120); // three for each run, where all of them go for the oldest
    await ours.close();
  }, 120_000);

  it('start no more requests than a rate allows in any window, under any load', async () => {
    const address = await server.newDatabase();
    const ours = store(address);
    await ours.tally();
    const { begun, most } = await requestsBegun(address, 4, env);
    expect(begun).toBe(48);
    expect(most).toBeLessThanOrEqual(5);
    await ours.close();
  }, 60_000);

  it('never exceed a budget together, even if they are killed', async () => {
    const address = await server.newDatabase();
    const ours = store(address);
    const { usd, reserved, reported, ends } = await spentOfBudget(address, ours, env);
    expect(usd + reserved).toBeLessThanOrEqual(0.03);
    expect(usd).toBeGreaterThanOrEqual(reported - 1e-9);
    expect(reserved).toBeGreaterThan(0);
    expect(ends).toEqual(['BUDGET_EXCEEDED', 'done']);
    await ours.close();
  }, 60_000);

  it('accept one of two answers, and name the winner to the other', async () => {
    const address = await server.newDatabase();
    const [one, two] = [await processes.start(address, { env }), await processes.start(address, { env })];
    for (let race = 0; race < 10; race++) {
      const asked = await one.call('start', 'asking', {}, { runId: `r_${race}` });
      const interruptId = waitingFor((await asked.result) as RunResult<unknown>).id;
      const answers = await Promise.all([
        one.call('send', asked.runId, { type: 'SAY', text: 'one' }, { interruptId }),
        two.call('send', asked.runId, { type: 'SAY', text: 'two' }, { interruptId }),
      ]);
      const refused = answers.flatMap(({ error }) => error ?? []);
      expect(refused).toMatchObject([{ code: 'INTERRUPT_ANSWERED' }]);
      const winner = answers.find(({ error }) => !error);
      expect(await winner?.result).toMatchObject({ status: 'done', output: `a,${answers[0]?.error ? 'two' : 'one'},b` });
    }
  });

  it('starts a run of one id once', async () => {
    const address = await server.newDatabase();
    const calls = join(folderForTest('postgres-calls-'), 'calls');
    const both = [await processes.start(address, { env, calls }), await processes.start(address, { env, calls })];
    for (let race = 0; race < 10; race++) {
      const runs = await Promise.all(both.map((one) => one.call('start', 'stepping', { log: [`${race}`] }, { runId: `r_${race}` })));
      await Promise.all(runs.flatMap((started) => (started.error ? [] : [started.result])));
    }
    const lines = readFileSync(calls, 'utf8').trim().split('\n');
    expect(lines.sort()).toEqual([...new Set(lines)].sort());
    expect(lines).toHaveLength(30);
  });

  it('lock out a process that slept past its lease', async () => {
    const address = await server.newDatabase();
    const calls = join(folderForTest('postgres-calls-'), 'calls');
    const sleeper = await processes.start(address, { env, calls });
    const { runId, result } = await sleeper.call('start', 'working', { log: ['sleeper'] });
    await vi.waitFor(() => expect(readFileSync(calls, 'utf8')).toContain('sleeper'), 20_000);
    sleeper.kill('SIGSTOP');
    const next = store(address);
    const { lease, record } = await next.acquire(runId, { ...request('o_next'), force: true });
    await next.append(lease, entry(record.seq + 1, lease.epoch), 0);
    sleeper.kill('SIGCONT');
    expect(await result).toMatchObject({ status: 'failed', error: { code: 'RUN_FENCED' } });
    const journal = await next.journal(runId);
    expect(journal.filter(({ epoch }) => epoch === 2).map(({ seq }) => seq)).toEqual([record.seq + 1]);
    await next.close();
  });

  it('take over a run from a process that hangs with its row locked', async () => {
    const address = await server.newDatabase();
    const pool = await userPool(1, address);
    let hangs = false;
    const locked = Promise.withResolvers<void>();
    const hanging = wrapped(pool, async (statement, send) => {
      const answer = await send();
      if (!hangs || !statement.text.endsWith('FOR UPDATE')) return answer;
      locked.resolve();
      return new Promise(() => {}); // it never goes on from here
    });
    const [theirs, ours] = [postgresStore({ pool: hanging }), store(address)];
    await theirs.create(newRun, [start], request('o_1'));
    hangs = true;
    void outcome(() => theirs.acquire('r_1', request('o_1')));
    await locked.promise;
    const taken = await ours.acquire('r_1', { ...request('o_2'), force: true });
    expect(taken.lease.epoch).toBe(2);
    await ours.close();
  });

  it('resume a run of a killed process in a worker', async () => {
    const address = await server.newDatabase();
    const calls = join(folderForTest('postgres-calls-'), 'calls');
    const dying = await processes.start(address, { env, calls });
    const { runId } = await dying.call('start', 'stepping', { log: ['x'] });
    await vi.waitFor(() => expect(readFileSync(calls, 'utf8')).toContain('x/1'), 20_000);
    dying.kill('SIGKILL');
    await dying.ended;
    const worker = await processes.start(address, { env, calls });
    await worker.call('work');
    const watched = store(address);
    await vi.waitFor(async () => expect((await watched.read(runId))?.status).toBe('done'), 30_000);
    await watched.close();
  });
});

describe('agent-machines with --db postgres://…', () => {
  const env = { NODE_OPTIONS: `--import=${new URL('postgres/resolve-pg.mjs', import.meta.url)}` };

  it('starts a run in one folder, and shows, answers and finishes it in others', async () => {
    const db = ['--db', (await server.newDatabase()).replace('postgres@', 'postgres:s3cret@')];
    const asked = await ownProcess(folder(), ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어. 무료로 하고 싶어', ...db], env);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const interrupt = /--interrupt (i_\w+)/.exec(asked.stderr)?.[1] ?? '';
    expect([runId, interrupt]).not.toContain('');
    const listed = await ownProcess(folder(), ['runs', '--json', ...db], env);
    expect(JSON.parse(listed.stdout)).toMatchObject({ id: runId, status: 'waiting' });
    const sent = await ownProcess(folder(), ['send', runId, 'APPROVE', '--interrupt', interrupt, ...db], env);
    expect([sent.code, sent.stderr.includes('Error')]).toEqual([0, false]);
    const shown = await ownProcess(folder(), ['show', runId, ...db], env);
    expect(shown.code).toBe(0);
    const checked = await ownProcess(folder(), ['doctor', ...db], env);
    expect(checked.stdout).toContain('1 runs');
    for (const { stdout, stderr } of [asked, listed, sent, shown, checked]) expect(stdout + stderr).not.toContain('s3cret');
  });

  it('reports on a database without creating anything, and detects changes in it', async () => {
    const address = await server.newDatabase();
    const db = ['--db', address.replace('postgres@', 'postgres:s3cret@'), '--json'];
    const typed = async (...words: readonly string[]): Promise<readonly [number | null, unknown]> => {
      const { code, stdout, stderr } = await ownProcess(folder(), [...words, ...db], env);
      expect(stdout + stderr).not.toContain('s3cret');
      return [code, JSON.parse(stdout)];
    };
    expect(await typed('db', 'status')).toMatchObject([0, { kind: 'postgres', state: 'empty' }]);
    expect(await typed('db', 'verify')).toMatchObject([0, { runs: 0, problems: [] }]);
    expect(await server.ask(address, "SELECT 1 FROM pg_namespace WHERE nspname = 'agent_machines'")).toEqual([]);
    expect(await typed('db', 'migrate')).toMatchObject([0, { type: 'migrated', from: 0 }]);
    const theirs = store(address);
    const runtime = createRuntime({ store: theirs });
    const ended = one(says('a'));
    await runtime.start(ended, {}, { threadId: 't_1', runId: 'r_1' }).result;
    await runtime.start(logWorkflow({ id: 'asking', states: { ask: waiting({ GO: 'done' }), done: final } }), {}, { runId: 'r_2' }).result;
    await theirs.close();
    expect(await typed('db', 'status')).toMatchObject([
      0,
      { state: 'current', threads: 1, runs: { done: 1, waiting: 1 }, oldestWaiting: { runId: 'r_2', status: 'waiting' } },
    ]);
    expect(await typed('db', 'verify')).toMatchObject([0, { runs: 2, entries: 5, threads: 1, problems: [] }]);
    await server.ask(
      address,
      'INSERT INTO agent_machines.journal SELECT 99, seq, key, kind, outcome, events, epoch, at, checksum FROM agent_machines.journal WHERE run = 1',
    );
    await server.ask(address, "UPDATE agent_machines.threads SET state = '1'");
    await server.ask(address, "UPDATE agent_machines.journal SET outcome = '{}' WHERE seq = 2 AND run = 2");
    const [code, verdict] = await typed('db', 'verify');
    expect([code, verdict]).toMatchObject([
      1,
      { problems: [{ message: expect.stringContaining('number 99') }, { code: 'JOURNAL_CORRUPT', runId: 'r_2' }, { threadId: 't_1' }] },
    ]);
    expect(await typed('db', 'backup', 'copy.dump')).toMatchObject([2, { code: 'USAGE', message: expect.stringContaining('pg_dump') }]);
    await server.ask(address, 'UPDATE agent_machines.agent_machines SET version = 99');
    expect(await typed('db', 'status')).toMatchObject([1, { state: 'newer', version: 99 }]);
    expect(await typed('db', 'verify')).toMatchObject([1, { code: 'STORE_VERSION' }]);
    expect(await typed('db', 'migrate')).toMatchObject([1, { code: 'STORE_VERSION' }]);
  });

  it('finishes by a worker a run of a killed process after its export and import', async () => {
    await using model = await startOpenaiServer();
    const laptop = folder();
    model.answer({ type: 'silence' });
    const running = ownProcess(laptop, ['run', 'plan-execute', 'add', '--thread', 'sums', '--base-url', model.url, '--db', 'my.db']);
    await vi.waitFor(() => expect(model.requests.length).toBe(1), 60_000);
    running.kill('SIGKILL');
    const runId = /run (r_\w+)/.exec((await running).stderr)?.[1] ?? '';
    const exported = await ownProcess(laptop, ['runs', 'export', runId, '--db', 'my.db', '--out', 'run.json']);
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining(`Exported ${runId} (running).`)]);
    await ownProcess(laptop, ['cancel', runId, '--db', 'my.db']);

    const db = ['--db', (await server.newDatabase()).replace('postgres@', 'postgres:s3cret@')];
    const imported = await ownProcess(laptop, ['runs', 'import', 'run.json', ...db], env);
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining(`Imported ${runId} (running)`)]);
    const again = await ownProcess(laptop, ['runs', 'import', 'run.json', '--json', ...db], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ type: 'imported', runId, isNew: false });
    const completion = (value: unknown) =>
      ({ type: 'completion', text: typeof value === 'string' ? value : JSON.stringify(value) }) as const;
    const intent = { intent: 'new_question', rewritten_query: 'sum', needs_tool: true, constraints: null };
    model.answer(completion(intent), completion({ steps: [{ step_id: 1, tool: 'calculator', input: '6*7' }] }), completion('42 it is.'));
    const worker = ownProcess(folder(), ['work', '--json', ...db], env);
    await worker.sees('"type":"rested"');
    worker.kill('SIGTERM');
    const { stdout, stderr } = await worker;
    expect(stdout).toContain('42 it is.');
    const shown = await ownProcess(folder(), ['show', runId, '--json', ...db], env);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'done', threadId: 'sums', result: { output: { answer: '42 it is.' } } });
    expect(imported.stderr + again.stdout + stderr + shown.stdout).not.toContain('s3cret');
  });
});
