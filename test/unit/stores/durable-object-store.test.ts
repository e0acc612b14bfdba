import { DatabaseSync } from 'node:sqlite';
import { durableObjectStore } from 'agent-machines/stores/durable-object';
import { runStoreContract } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { askAs, leaseMs, newRun, startEntry } from '../../../src/testing/contracts/example-run.ts';
import { durableObject } from '../../fixtures/durable-object.ts';
import { outcomeOf } from '../../fixtures/sqlite-files.ts';

/** Long after every other time of the tests. */
const later = Date.UTC(2100, 0, 1);

describe('runStoreContract: durableObjectStore', () => {
  for (const { name, run } of runStoreContract(async () => durableObjectStore(durableObject().storage))) it(name, run);
});

describe('durableObjectStore', () => {
  it('gives the runs of an object that was ended to the next one at once', async () => {
    const db = new DatabaseSync(':memory:');
    await durableObjectStore(durableObject(db).storage).create(newRun('r_1'), [startEntry()], askAs('o_1'));
    const next = durableObjectStore(durableObject(db).storage);
    expect(await next.acquire('r_1', askAs('o_2'))).toMatchObject({ lease: { epoch: 2 } });
  });

  it('keeps a run from another store of the same object', async () => {
    const { storage } = durableObject();
    await durableObjectStore(storage).create(newRun('r_1'), [startEntry()], askAs('o_1'));
    expect(await outcomeOf(() => durableObjectStore(storage).acquire('r_1', askAs('o_2')))).toBe('RUN_BUSY');
  });

  it('sets the alarm to the end of the first lease, then to what is due first, then to nothing', async () => {
    const object = durableObject();
    const store = durableObjectStore(object.storage, { alarm: true });
    const first = await store.create(newRun('r_1'), [startEntry()], askAs('o_1', later));
    const second = await store.create(newRun('r_2'), [startEntry()], askAs('o_1', later + 1));
    expect(object.alarmAt).toBe(later + leaseMs);
    await store.renew(first.lease, askAs('o_1', later + 2));
    expect(object.alarmAt).toBe(later + 1 + leaseMs);
    await store.settle(second.lease, { status: 'waiting', activeMs: 0, wakeAt: later + 5 });
    expect(object.alarmAt).toBe(later + 5);
    await store.settle(first.lease, { status: 'done', activeMs: 0 });
    const again = await store.acquire('r_2', askAs('o_1', later + 6));
    await store.settle(again.lease, { status: 'done', activeMs: 0 });
    expect(object.alarmAt).toBeUndefined();
  });

  it('sets no alarm unless it is asked to, and none again and again for a run that cannot go on', async () => {
    const silent = durableObject();
    await durableObjectStore(silent.storage).create(newRun('r_1'), [startEntry()], askAs('o_1', later));
    expect(silent.alarmAt).toBeUndefined();
    const object = durableObject();
    const before = Date.now();
    await durableObjectStore(object.storage, { alarm: true }).create(newRun('r_1'), [startEntry()], askAs('o_1'));
    expect(object.alarmAt).toBeGreaterThanOrEqual(before + 60_000);
  });

  it('refuses tables of a newer version', () => {
    const db = new DatabaseSync(':memory:');
    durableObjectStore(durableObject(db).storage);
    db.exec('UPDATE agent_machines_about SET version = 2');
    expect(() => durableObjectStore(durableObject(db).storage)).toThrow(expect.objectContaining({ code: 'STORE_VERSION' }));
  });

  it('says which value is too large for the platform', async () => {
    const { storage } = durableObject();
    const store = durableObjectStore({
      ...storage,
      sql: {
        exec(query, ...values) {
          if (values.some((value) => String(value).length > 10_000)) throw new Error('string or blob too big: SQLITE_TOOBIG');
          return storage.sql.exec(query, ...values);
        },
      },
    });
    const outcome = await outcomeOf(() => store.create(newRun('r_1'), [startEntry('x'.repeat(20_000))], askAs('o_1')));
    expect(outcome).toBe('LIMIT_EXCEEDED');
    expect(await store.read('r_1')).toBeUndefined();
  });

  it('is unavailable when it is closed, and on an object without SQLite', async () => {
    const store = durableObjectStore(durableObject().storage);
    await store.close();
    expect(await outcomeOf(() => store.read('r_1'))).toBe('STORE_UNAVAILABLE');
    const { sql: _, ...others } = durableObject().storage;
    expect(await outcomeOf(() => Reflect.apply(durableObjectStore, undefined, [others]))).toBe('STORE_UNAVAILABLE');
  });
});
