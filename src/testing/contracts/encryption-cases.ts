import type { JournalEntry, RunStore } from '../../core/ports/run-store.ts';
import { encryptionNote } from '../../engine/store/store-key.ts';
import { encryptedStore } from '../../stores/encryption/encrypted-store.ts';
import { rekeyStore } from '../../stores/encryption/rekey-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, contentsOf, newRun, nodeEntry, requestBy, settleEntry, startEntry } from './example-run.ts';

const [key, other] = [1, 2].map((seed) => Uint8Array.from({ length: 32 }, (_, index) => index * seed)) as [Uint8Array, Uint8Array];

/** Skips stores that cannot rewrite entries, and those that are encrypted already. */
const withRewrite = (cases: Cases<RunStore>): Cases<RunStore> =>
  Object.fromEntries(
    Object.entries(cases).map(([name, hold]) => [
      name,
      async (store: RunStore) => {
        if (!store.storage?.note || !store.storage.rewrite) return;
        await checkRefused(() => store.journal('r_0'), 'RUN_UNKNOWN'); // an encrypted store takes its key now
        const { text } = await store.storage.note(encryptionNote, (found) => ({ text: found }));
        if (text === undefined || text === '') await hold(store);
      },
    ]),
  );

const long = Array.from({ length: 300 }, (_, n) => ({ n, text: `turn \ud800 ${n} `.repeat(10) }));

async function addTurn(store: RunStore, id: string): Promise<void> {
  const { lease } = await begin(store, id, { threadId: 't_1' });
  await store.append(lease, nodeEntry(2, { outcome: { output: { text: 'secret of the node' } } }), 1);
  const entry: JournalEntry = settleEntry(3, { status: 'done', output: 'secret of the end' });
  await store.settle(lease, { entry, status: 'done', activeMs: 2, threadState: { long: [...long, id] } });
  await store.nameThread('t_1', 'secret of the title');
}

/** Encryption of a store's values. */
export const encryptionCases: Cases<RunStore> = withRewrite({
  'rejects writers without the key, and readers too': async (store) => {
    const encrypted = encryptedStore(store, { key });
    await addTurn(encrypted, 'r_1');
    const before = JSON.stringify(await contentsOf(encrypted, 'r_1'));
    check(before.includes('secret of the node') && before.includes('secret of the title'), 'the values are read with the key');
    for (const wrong of [store, encryptedStore(store, { key: other })]) {
      await checkRefused(() => begin(wrong, 'r_2'), 'STORE_KEY_INVALID');
      await checkRefused(() => begin(wrong, 'r_2', { threadId: 't_1' }), 'STORE_KEY_INVALID');
      await checkRefused(() => begin(wrong, 'r_2', { threadId: 't_2' }), 'STORE_KEY_INVALID');
      await checkRefused(() => wrong.nameThread('t_1', 'clear'), 'STORE_KEY_INVALID');
      await checkRefused(() => wrong.saveStructure('hash', {}), 'STORE_KEY_INVALID');
      await checkRefused(() => wrong.journal('r_1'), 'STORE_KEY_INVALID');
      await checkRefused(() => wrong.readThread('t_1'), 'STORE_KEY_INVALID');
    }
    checkSame((await store.list({})).length, 1, 'the number of runs');
    checkSame(JSON.stringify(await contentsOf(encrypted, 'r_1')), before, 'the values after the attempts');
  },

  'encrypts clear text, and replaces the key': async (store) => {
    await addTurn(store, 'r_1');
    await addTurn(store, 'r_2');
    const { lease } = await begin(store, 'r_3');
    await store.settle(lease, { status: 'waiting', activeMs: 1 });
    const before = [await contentsOf(store, 'r_1'), await contentsOf(store, 'r_3')];
    checkSame(await rekeyStore(store, { key }), { runs: 3, threads: 1, driven: 0 }, 'the first report');
    const [one, two] = [encryptedStore(store, { key }), encryptedStore(store, { key: other, previous: [key] })];
    checkSame([await contentsOf(one, 'r_1'), await contentsOf(one, 'r_3')], before, 'the values');
    checkSame(await rekeyStore(store, { key: other, previous: [key] }), { runs: 3, threads: 1, driven: 0 }, 'the second report');
    checkSame([await contentsOf(two, 'r_1'), await contentsOf(two, 'r_3')], before, 'the values with the new key');
    await checkRefused(() => begin(one, 'r_4'), 'STORE_KEY_INVALID');
    const taken = await two.acquire('r_3', requestBy('o_2'));
    await two.append(taken.lease, nodeEntry(2, { epoch: 2 }), 2);
    await two.settle(taken.lease, { status: 'done', activeMs: 2 });
    checkSame((await two.journal('r_3')).length, 2, 'the entries of the resumed run');
    await two.create(newRun('r_5'), [startEntry()], requestBy('o_1'));
    checkSame(await rekeyStore(store, { key: other }), { runs: 0, threads: 0, driven: 0 }, 'the third report');
  },
});
