import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { createRuntime, type Json, memoryStore, type RunStore } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { threadChecksum } from '../../../../src/stores/rows/run-rows.ts';
import { final, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('damaged-json-');

const talk = (version: string) =>
  logWorkflow({
    version,
    states: { a: node('a', 'done'), done: final, failed: final },
    nodes: { a: says('a') },
    thread: { initial: [], next: (_before, { state }) => state.log },
  });

/** A finished run of one node in a thread; what anybody may ask of it. */
async function finished() {
  const path = newPath();
  const store = openStore(path);
  const runtime = createRuntime({ store, workflows: [talk('2')] });
  const { id, result } = createRuntime({ store }).start(talk('1'), {}, { threadId: 't' });
  await result;
  const asked: Readonly<Record<string, () => unknown>> = {
    get: () => runtime.get(id),
    history: () => runtime.history(id),
    thread: () => runtime.thread('t'),
    resume: () => runtime.resume(id),
    fork: () => runtime.fork(id, { at: 'a#1' }),
    start: async () => {
      const next = await createRuntime({ store }).start(talk('1'), {}, { threadId: 't' }).result;
      return next.status === 'failed' ? next.error.code : next;
    },
  };
  return { path, asked };
}

const noJson = ['', '{', 'null', '[]', '7', '"text"', '{"a":', 'undefined', '{"events":[]}'];

type Value = string | number | null;

/** The checksum of a row whose damage was not meant to be found. */
const checksumOf = (...values: readonly Value[]): string =>
  hash('sha256', values.map((value) => (typeof value === 'string' ? `${value.length}:${value}` : `${value};`)).join(''), 'base64url').slice(
    0,
    16,
  );

const runColumns =
  'n id workflow version structure thread thread_revision status seq head epoch crashes active_ms started_at updated_at wake_at'.split(' ');

/** Writes a text into the second entry of the only run, and makes all checksums right. */
function forge(db: DatabaseSync, column: string, text: string): void {
  const run = db.prepare('SELECT * FROM runs').get() as Record<string, Value>;
  let head = '';
  for (const [index, found] of (db.prepare('SELECT * FROM journal ORDER BY id').all() as Record<string, Value>[]).entries()) {
    const row = index === 1 ? { ...found, [column]: text } : found;
    const { id = null, key = null, kind = null, outcome = null, events = null, epoch = null, at = null } = row;
    head = checksumOf(run.id ?? null, head, index + 1, key, kind, outcome, events, epoch, at);
    db.prepare('UPDATE journal SET outcome = ?, events = ?, checksum = ? WHERE id = ?').run(outcome, events, head, id);
  }
  const values = runColumns.map((name) => (name === 'head' ? head : (run[name] ?? null)));
  db.prepare('UPDATE runs SET head = ?, checksum = ?').run(head, checksumOf(...values));
}

describe('damaged JSON', () => {
  it.each(noJson)('is found in a structure when machines are compared: %j', async (text) => {
    const { path, asked } = await finished();
    inDatabase(path, (db) => db.prepare('UPDATE structures SET structure = ?').run(text));
    for (const name of ['resume', 'fork']) expect([name, await outcomeOf(() => asked[name]?.())]).toEqual([name, 'JOURNAL_CORRUPT']);
  });

  it('is found in a structure that is valid JSON', async () => {
    const { path, asked } = await finished();
    inDatabase(path, (db) => db.exec(`UPDATE structures SET structure = '{"id":"log","states":{"a":7}}'`));
    expect(await outcomeOf(() => asked.resume?.())).toBe('JOURNAL_CORRUPT');
  });

  it.each(['outcome', 'events'])('is found in the %s of an entry by every reader', async (column) => {
    for (const text of noJson) {
      const { path, asked } = await finished();
      inDatabase(path, (db) => db.prepare(`UPDATE journal SET ${column} = ? WHERE kind = 'node'`).run(text));
      for (const name of ['get', 'history', 'thread', 'fork']) {
        expect([text, name, await outcomeOf(() => asked[name]?.())]).toEqual([text, name, 'JOURNAL_CORRUPT']);
      }
    }
  });

  it.each([
    ['outcome', '{'],
    ['outcome', ''],
    ['events', '{'],
    ['events', '{}'],
    ['events', '[7]'],
    ['events', 'null'],
  ])('is found in the %s of an entry with valid checksums: %j', async (column, text) => {
    const { path, asked } = await finished();
    inDatabase(path, (db) => forge(db, column, text));
    for (const name of ['history', 'get', 'fork'])
      expect([name, await outcomeOf(() => asked[name]?.())]).toEqual([name, 'JOURNAL_CORRUPT']);
  });

  it.each(noJson)('is found in a thread by every reader: %j', async (text) => {
    const { path, asked } = await finished();
    inDatabase(path, (db) => db.prepare('UPDATE threads SET state = ?').run(text));
    for (const name of ['thread', 'start']) expect([name, await outcomeOf(() => asked[name]?.())]).toEqual([name, 'JOURNAL_CORRUPT']);
  });

  it('is found in a thread with a valid checksum', async () => {
    const { path, asked } = await finished();
    const row = { id: 't', workflow: 'log', revision: 1, state: '["a"', active_run: null, title: null, lists: null };
    inDatabase(path, (db) => db.prepare('UPDATE threads SET state = ?, checksum = ?').run(row.state, threadChecksum(row)));
    for (const name of ['thread', 'start']) expect([name, await outcomeOf(() => asked[name]?.())]).toEqual([name, 'JOURNAL_CORRUPT']);
  });

  it.each([null, 7, 'text', [], {}] as readonly Json[])('is found in a start entry of any store: %j', async (outcome) => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(talk('1'), {});
    await run.result;
    const damaged: RunStore = {
      ...store,
      journal: async (id) => (await store.journal(id)).map((entry) => (entry.kind === 'start' ? { ...entry, outcome } : entry)),
    };
    const runtime = createRuntime({ store: damaged, workflows: [talk('1')] });
    await expect(runtime.get(run.id)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await expect(runtime.fork(run.id, { at: 'a#1' })).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
  });
});
