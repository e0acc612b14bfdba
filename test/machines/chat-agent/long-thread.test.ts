// A turn costs what it adds: what SQLite is given and gives back is counted.
import { DatabaseSync } from 'node:sqlite';
import { createRuntime, type RunStore } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import type { TranscriptMessage } from 'agent-machines/memory';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { threadOf, turn } from './helpers.ts';

interface Traffic {
  read: number;
  written: number;
  rows: number;
}

/** A database that counts the characters and rows that its statements are given and return. */
function countedDatabase() {
  const db = new DatabaseSync(':memory:');
  const traffic: Traffic = { read: 0, written: 0, rows: 0 };
  const charsOf = (values: readonly unknown[]): number => values.reduce<number>((sum, value) => sum + String(value ?? '').length, 0);
  const received = <T>(rows: readonly T[]): readonly T[] => {
    traffic.rows += rows.length;
    for (const row of rows) traffic.read += charsOf(Object.values(row ?? {}));
    return rows;
  };
  const database = {
    prepare(sql: string) {
      const statement = db.prepare(sql);
      const given = <T extends readonly (string | number | null)[]>(values: T): T => {
        traffic.written += charsOf(values);
        return values;
      };
      return {
        run: (...values: (string | number | null)[]) => statement.run(...given(values)),
        get: (...values: (string | number | null)[]) => received([statement.get(...given(values))])[0],
        all: (...values: (string | number | null)[]) => received(statement.all(...given(values))),
        setReadBigInts: (enabled: boolean) => statement.setReadBigInts(enabled),
      };
    },
    exec: (sql: string) => db.exec(sql),
    get isTransaction() {
      return db.isTransaction;
    },
  };
  return { database, traffic };
}

const message = (n: number): TranscriptMessage => ({
  id: `m${n}`,
  role: n % 2 === 0 ? 'user' : 'assistant',
  text: `${n}: the harbour office keeps its ledgers in a blue cabinet. `.repeat(5).trim(),
  at: 1_700_000_000_000 + n * 60_000,
});

/** Gives the thread `t` a transcript of some characters, as a version that keeps it in one text has left it. */
async function seed(store: RunStore, chars: number): Promise<void> {
  const [run] = await store.list({ threadId: 't', limit: 1 });
  const transcript: TranscriptMessage[] = [];
  for (let left = chars; left > 0; left -= message(transcript.length).text.length) transcript.push(message(transcript.length));
  await store.storage?.change({ runId: run?.id ?? '', reads: 'thread' }, ({ run, thread }) => {
    if (!run || !thread?.record) throw new Error('There is no thread.');
    const state = { ...(thread.record.state as object), transcript };
    return { run, entries: [], thread: { ...thread.record, state } };
  });
}

describe('a turn in a long thread', () => {
  /** What one of some turns reads and writes on average. */
  async function costOf(chars: number) {
    const { database, traffic } = countedDatabase();
    const store = sqliteStore({ database });
    const runtime = createRuntime({ store, clock: fakeClock(1_800_000_000_000) });
    const workflow = chatAgent({ tools: [] });
    await turn(runtime, workflow, 'I water the garden.', 't');
    await seed(store, chars);
    await turn(runtime, workflow, 'I read a book.', 't'); // moves what older versions have left
    const before = { ...traffic };
    const turns = 40;
    for (let n = 0; n < turns; n++) await turn(runtime, workflow, `${n} ${'Today I paint the fence. '.repeat(10)}`, 't');
    const { transcript = [] } = await threadOf(store, 't');
    await store.close();
    return {
      read: (traffic.read - before.read) / turns,
      written: (traffic.written - before.written) / turns,
      rows: (traffic.rows - before.rows) / turns,
      chars: transcript.reduce((sum, { text }) => sum + text.length, 0),
    };
  }

  it('reads and writes at most twice as much with 1 MB of transcript as with 50 kB', async () => {
    const short = await costOf(50_000);
    const long = await costOf(1_000_000);
    expect(long.chars).toBeGreaterThan(990_000);
    for (const what of ['read', 'written', 'rows'] as const) expect([what, long[what] <= 2 * short[what]]).toEqual([what, true]);
    expect(long.read + long.written).toBeLessThan(200_000);
  });
});
