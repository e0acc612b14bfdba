import type { JournalEntry, Json, JsonObject, NewRun, RunStore } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PackedState, type ThreadPart, type ThreadParts, threadParts } from '../../../../src/stores/rows/thread-parts.ts';
import { verifySqlite } from '../../../../src/stores/sqlite/verify-sqlite.ts';
import { share } from '../../../fixtures/share.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('thread-parts-');

/** A thread in a store of rows. */
class Rows {
  packed: PackedState = { state: null };
  readonly parts = new Map<string, string>();
  /** Characters written by the last `save`. */
  written = 0;

  read(states: ThreadParts): Json | undefined {
    const opened = states.open('t', JSON.parse(JSON.stringify(this.packed)) as PackedState);
    return opened.read(opened.missing.flatMap((name): readonly ThreadPart[] => [{ name, items: this.parts.get(name) ?? '' }]));
  }

  save(states: ThreadParts, state: Json): void {
    const { added, removed, ...packed } = states.pack('t', state, this.read(states));
    this.packed = packed;
    for (const { name, items } of added) this.parts.set(name, items);
    for (const name of removed) this.parts.delete(name);
    this.written = JSON.stringify(packed).length + added.reduce((sum, { items }) => sum + items.length, 0);
  }
}

const message = (n: number): JsonObject => ({ id: `m${n}`, text: `${n} `.repeat(60) });
const messages = (from: number, to: number): JsonObject[] => Array.from({ length: to - from }, (_, index) => message(from + index));

const anyItem = fc.oneof(
  fc.nat(3),
  fc.constant(null),
  fc.string({ maxLength: 4 }),
  fc.nat(999).map(message),
  fc.constant('long '.repeat(4_000)),
);
type Edit = (list: readonly Json[]) => readonly Json[];
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(fc.array(anyItem, { maxLength: 90 }), fc.nat(60)).map(
    ([more, gone]): Edit =>
      (list) => [...list.slice(gone), ...more],
  ),
  fc.tuple(anyItem, fc.nat(400)).map(
    ([item, at]): Edit =>
      (list) =>
        list.map((each, index) => (index === at ? item : each)),
  ),
  fc.array(anyItem, { maxLength: 3 }).map(
    (all): Edit =>
      () =>
        all,
  ),
);
const partsOf = ({ lists = {} }: PackedState): readonly string[] => Object.values(lists).flatMap(({ parts }) => parts);

/** Ends a run of a thread with a state. */
async function settle(store: RunStore, threadState: JsonObject, id = 'r_1'): Promise<void> {
  const run: NewRun = { id, threadId: 't', workflow: 'example', version: '1', structure: 'structure', ifBusy: 'reject' };
  const start: JournalEntry = { seq: 1, key: 'run', kind: 'start', outcome: { input: null }, events: [], epoch: 1, at: 0 };
  const { lease } = await store.create(run, [start], { owner: 'o', leaseMs: 30_000, now: 0, monotonic: 0 });
  await store.settle(lease, { status: 'done', activeMs: 0, threadState });
}

describe('threads in parts', () => {
  it('keeps lists through random edits, in the same process and in a new one', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__'), edit), { maxLength: 20 }), (edits) => {
        const rows = new Rows();
        const states = threadParts();
        const lists = new Map<string, readonly Json[]>([['b', messages(0, 300)]]);
        for (const [key, change] of edits) {
          lists.set(key, change(lists.get(key) ?? []));
          const text = `{${[...lists].map(([name, list]) => `"${name}":${JSON.stringify(list)}`).join(',')}}`;
          rows.save(states, JSON.parse(text) as Json);
          expect(JSON.stringify(rows.read(states))).toBe(text);
          expect(JSON.stringify(rows.read(threadParts()))).toBe(text);
          expect([...rows.parts.keys()].sort()).toEqual([...new Set(partsOf(rows.packed))].sort());
        }
      }),
      { numRuns: share(300) },
    );
  });

  it('writes only the changes of a turn to a long list', () => {
    const rows = new Rows();
    const states = threadParts();
    rows.save(states, { log: messages(0, 4_000), other: 1 });
    let written = 0;
    for (let turn = 1; turn <= 200; turn++) {
      rows.save(states, { log: messages(turn * 2, 4_000 + turn * 2), other: turn });
      written = Math.max(written, rows.written);
    }
    expect(rows.read(threadParts())).toEqual({ log: messages(400, 4_400), other: 200 });
    expect(written).toBeLessThan(45_000);
  });

  it('keeps a short state in one piece', () => {
    const rows = new Rows();
    rows.save(threadParts(), { log: messages(0, 20) });
    expect(rows.packed).toEqual({ state: { log: messages(0, 20) } });
  });

  it.each([
    ['missing', 'DELETE FROM thread_parts WHERE name = (SELECT name FROM thread_parts LIMIT 1)'],
    ['changed', "UPDATE thread_parts SET items = replace(items, 'm7', 'm8')"],
    ['out of place', 'UPDATE threads SET lists = replace(lists, \'"skip":0\', \'"skip":1\')'],
    ['not listed', 'UPDATE threads SET lists = NULL'],
  ])('refuses a thread with a part that is %s', async (_, sql) => {
    const path = newPath();
    await settle(openStore(path), { log: messages(0, 500) });
    expect(await openStore(path).readThread('t')).toMatchObject({ state: { log: messages(0, 500) } });
    inDatabase(path, (db) => db.exec(sql));
    expect(await outcomeOf(() => openStore(path).readThread('t'))).toBe('JOURNAL_CORRUPT');
  });

  it('reports a thread that is missing while its parts exist', async () => {
    const path = newPath();
    const store = openStore(path);
    await settle(store, { log: messages(0, 500) });
    await store.close();
    expect((await verifySqlite(path)).problems).toEqual([]);
    inDatabase(path, (db) => db.exec("UPDATE thread_parts SET thread = 'gone'"));
    const { problems } = await verifySqlite(path);
    expect(problems.map(({ threadId }) => threadId)).toEqual(['gone', 't']);
  });

  it('removes the parts with their thread', async () => {
    const path = newPath();
    const store = openStore(path);
    await settle(store, { log: messages(0, 500) });
    await store.remove({ threadId: 't' });
    await store.close();
    expect(inDatabase(path, (db) => db.prepare('SELECT count(*) AS count FROM thread_parts').get())).toEqual({ count: 0 });
  });

  it('serves two stores that change one thread in turn', async () => {
    const path = newPath();
    const [one, other] = [openStore(path), openStore(path)];
    for (let turn = 1; turn <= 5; turn++) await settle(turn % 2 === 0 ? one : other, { log: messages(turn, 500 * turn) }, `r_${turn}`);
    for (const store of [one, other])
      expect(await store.readThread('t')).toMatchObject({ revision: 5, state: { log: messages(5, 2_500) } });
  });
});
