import type { RunStore } from '../../core/ports/run-store.ts';
import { notesOfPlaces } from '../../engine/store/run-notes.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import { type Cases, type ContractCase, toContractCases } from '../contract-case.ts';
import { cancelCases } from './cancel-cases.ts';
import { concurrencyCases } from './concurrency-cases.ts';
import { encryptionCases } from './encryption-cases.ts';
import { begin, beginAndSettle, startMs } from './example-run.ts';
import { journalCases } from './journal-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { listCases } from './list-cases.ts';
import { pruneCases } from './prune-cases.ts';
import { queueCases } from './queue-cases.ts';
import { removalCases } from './removal-cases.ts';
import { stateCases } from './state-cases.ts';
import { threadCases } from './thread-cases.ts';
import { transferCases } from './transfer-cases.ts';
import { turnCases } from './turn-cases.ts';
import { valueCases } from './value-cases.ts';

/**
 * Returns the contract of a `RunStore` as cases for any test runner.
 *
 * @param create creates an empty store for each case; the case closes it.
 * @example
 * for (const { name, run } of runStoreContract(async () => myStore())) it(name, run);
 */
export function runStoreContract(create: () => Promise<RunStore>): readonly ContractCase[] {
  const groups = [
    journalCases,
    leaseCases,
    threadCases,
    queueCases,
    cancelCases,
    concurrencyCases,
    listCases,
    stateCases,
    turnCases,
    removalCases,
    pruneCases,
    transferCases,
    encryptionCases,
    valueCases,
    noteCases,
    removedNoteCases,
    ratingCases,
  ];
  return groups.flatMap((cases) => toContractCases(cases, create, (store) => store.close()));
}

/** Notes that stores with the same storage share. */
const noteCases: Cases<RunStore> = {
  'keeps one note per name, with times from one clock': async ({ storage }) => {
    if (!storage?.note) return;
    const seen: (string | undefined)[] = [];
    let before = startMs;
    for (const [name, text] of [
      ['a', 'one'] as const,
      ['b', '한글 😀'] as const,
      ['a', 'two'] as const,
      ['a', ''] as const,
      ['b', 'x'] as const,
    ]) {
      const decision = await storage.note(name, (found, now) => {
        seen.push(found);
        return { text, now };
      });
      check(Number.isFinite(decision.now) && decision.now >= before, `now does not go back: ${decision.now}`);
      before = decision.now;
    }
    checkSame(seen, [undefined, undefined, 'one', 'two', '한글 😀'], 'the previous notes');
    checkSame(await storage.list({ limit: 9 }), [], 'the runs');
  },

  'loses no concurrent change of a note and writes nothing if decide throws': async (store) => {
    const { storage } = store;
    if (!storage?.note) return;
    await begin(store, 'r_1');
    const add = async (): Promise<unknown> => storage.note?.('count', (text) => ({ text: String(Number(text ?? 0) + 1) }));
    await Promise.all(Array.from({ length: 20 }, add));
    const refused = new Error('refused');
    const thrown = await Promise.resolve()
      .then(() =>
        storage.note?.('count', () => {
          throw refused;
        }),
      )
      .catch((cause: unknown) => cause);
    check(thrown !== undefined, 'an error of decide is thrown');
    checkSame((await storage.note('count', (text) => ({ text: text ?? '' }))).text, '20', 'the count');
  },

  'lists notes by their prefix in the order of bytes, in pages': async ({ storage }) => {
    if (!storage?.note || !storage.notes) return;
    // U+10000 comes after U+FFFD in bytes, and before it in UTF-16
    const names = ['p ', 'p %', 'p A', 'p _', 'p a', 'p aa', 'p é', 'p 한글', 'p \ufffd', 'p \u{10000}', 'p \u{10ffff}\u{10ffff}'];
    for (const name of [...names, 'P a', 'o', 'p', 'q', 'p!'].reverse()) await storage.note(name, () => ({ text: `text of ${name}` }));
    await storage.note('p gone', () => ({ text: undefined }));
    const rows = (found: readonly string[]): unknown => found.map((name) => ({ name, text: `text of ${name}` }));
    checkSame(await storage.notes({ prefix: 'p ' }), rows(names), 'all');
    checkSame(await storage.notes({ prefix: 'p ', limit: 2 }), rows(names.slice(0, 2)), 'the first page');
    for (const [index, after] of names.entries())
      checkSame(await storage.notes({ prefix: 'p ', after, limit: 3 }), rows(names.slice(index + 1, index + 4)), `after ${after}`);
    for (const prefix of ['p %', 'p _', 'p \u{10ffff}'])
      checkSame(await storage.notes({ prefix }), rows(names.filter((name) => name.startsWith(prefix))), prefix);
    checkSame(await storage.notes({ prefix: 'p ', after: 'a' }), rows(names), 'after a name in front of all');
    checkSame(await storage.notes({ prefix: 'p ', after: 'q' }), [], 'after a name behind all');
    checkSame((await storage.notes({ prefix: '' })).map(({ name }) => name).at(-1), 'q', 'the last of all names');
    const { notes } = storage;
    for (const limit of [0, -1, 1.5, Number.NaN]) await checkRefused(() => notes.call(storage, { prefix: 'p ', limit }), 'OPTION_INVALID');
  },

  'lists 100 notes by default and 1,000 at most': async ({ storage }) => {
    if (!storage?.note || !storage.notes) return;
    for (let number = 1_000; number <= 2_001; number++) await storage.note(`n ${number}`, () => ({ text: '' }));
    const listed = await storage.notes({ prefix: 'n ' });
    checkSame([listed.length, listed[0]?.name, listed.at(-1)?.name], [100, 'n 1000', 'n 1099'], 'the default page');
    const most = await storage.notes({ prefix: 'n ', limit: 5_000 });
    checkSame([most.length, most.at(-1)?.name], [1_000, 'n 1999'], 'the largest page');
  },
};

/** Notes of runs and threads, which go with them. */
const removedNoteCases: Cases<RunStore> = {
  'removes a note on request, and the notes of a run or thread with it': async (store) => {
    const { storage } = store;
    if (!storage?.note) return;
    await beginAndSettle(store, 'r_1', { status: 'done' }, { threadId: 't_1' });
    await beginAndSettle(store, 'r_2', { status: 'done' });
    const places = [{ threadId: 't_1' }, { runId: 'r_2' }] as const;
    const names = ['kept', ...notesOfPlaces(places, ['r_1', 'r_2'])];
    for (const name of ['gone', ...names]) await storage.note(name, () => ({ text: name }));
    await storage.note('gone', () => ({ text: undefined }));
    for (const place of places) await store.remove(place);
    const seen: (string | undefined)[] = [];
    for (const name of ['gone', ...names]) {
      await storage.note(name, (text) => {
        seen.push(text);
        return { text };
      });
    }
    checkSame(seen, [undefined, 'kept', ...names.slice(1).map(() => undefined)], 'the notes after the removal');
  },
};

/** Ratings of runs, for stores that keep them. */
const ratingCases: Cases<RunStore> = {
  'keeps the rating of a run until it is removed': async (store) => {
    const { rate, ratings } = store;
    if (!rate || !ratings) return;
    await begin(store, 'r_1');
    await beginAndSettle(store, 'r_2', { status: 'done' });
    await rate('r_1', 'up');
    await rate('r_2', 'up');
    await rate('r_2', 'down');
    const read = async (): Promise<readonly (readonly [string, string])[]> => [...(await ratings(['r_2', 'r_1', 'r_3']))].sort();
    checkSame(
      await read(),
      [
        ['r_1', 'up'],
        ['r_2', 'down'],
      ],
      'the ratings',
    );
    await rate('r_1', undefined);
    await rate('r_1', undefined);
    checkSame(await read(), [['r_2', 'down']], 'the ratings after one was taken back');
    await store.remove({ runId: 'r_2' });
    await beginAndSettle(store, 'r_2', { status: 'done' });
    checkSame(await read(), [], 'the ratings of a new run with the id of a removed one');
    await checkRefused(() => rate('r_3', 'up'), 'RUN_UNKNOWN');
  },

  'removes the ratings of a thread with its runs': async (store) => {
    const { rate, ratings } = store;
    if (!rate || !ratings) return;
    await beginAndSettle(store, 'r_1', { status: 'done', threadState: {} }, { threadId: 't_1' });
    await rate('r_1', 'down');
    await store.remove({ threadId: 't_1' });
    checkSame([...(await ratings(['r_1']))], [], 'the ratings');
  },
};
