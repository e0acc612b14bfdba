import type { VectorEntry, VectorIndex, VectorMetadata } from '../../core/ports/vector-index.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { entryOf, idsOf, type VectorSubject, vectorOf } from './example-vectors.ts';

const vector = vectorOf(1, 2, 3);
const limit = 100;

const texts: readonly string[] = [
  '',
  '제1조(목적) 이 계약은 “갑”과 “을”의 권리와 의무를 정한다.',
  'composed é and decomposed e\u0301',
  '한글 자모 \u1100\u1161\u11a8 · 日本語 · العربية · 𐍈 · 👩‍👩‍👧‍👦',
  '\ufeff\u0001\u001b\u007f\u0085\u2028\u2029',
  ' \t\r\n  two  \n\n',
  `'"\\\`{}[]%_*?;--`,
  '\u0000 and a\u0000b',
  '가나다라 '.repeat(20_000),
];

const ids: readonly string[] = [
  '제10조의2',
  '계약서 (최종).docx#제1조/①',
  `'"\\ %_*?`,
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '0',
  ' ',
  'a\nb',
  'https://example.com/?a=1&b=2#c',
  '_doc',
  'x'.repeat(512),
  '가'.repeat(170),
];

const metadatas: readonly VectorMetadata[] = [
  {},
  { text: '', long: 'x'.repeat(5_000), korean: '제1조 "목적"', _: "'", A9_z: '\\' },
  { zero: 0, negative: -1, fraction: 0.1, large: 9_007_199_254_740_991, larger: 1e300, small: 1e-7 },
  { yes: true, no: false, id: 'id', score: 1, vector: 'v', document: 'd' },
];

const withoutVector = ({ vector: _, ...entry }: VectorEntry): object => entry;

/** Adds entries, and checks that `get` and `search` return them unchanged. */
async function checkKept(index: VectorIndex, entries: readonly VectorEntry[]): Promise<void> {
  await index.upsert(entries);
  checkSame(await index.get(idsOf(entries)), entries.map(withoutVector), 'the entries');
  const found = await index.search(vector, { limit });
  checkSame(
    found.map(({ score: _, ...entry }) => entry),
    entries.map(withoutVector),
    'the hits',
  );
}

/** Storage of entries. */
export const vectorEntryCases: Cases<VectorSubject> = {
  'keeps texts exactly': async ({ index }) => {
    const entries = texts.map((text, i) => entryOf(`e${i}`, vector, {}, text));
    await checkKept(index, entries);
  },

  'keeps ids exactly': async ({ index }) => {
    const entries = ids.map((id) => entryOf(id, vector));
    await index.upsert(entries);
    checkSame(await index.get(ids), entries.map(withoutVector), 'the entries');
    checkSame(idsOf(await index.search(vector, { limit })), [...ids].sort(), 'the hits');
    await index.remove(ids.slice(1));
    checkSame(idsOf(await index.get(ids)), ids.slice(0, 1), 'the remaining entries');
  },

  'keeps metadata exactly': async ({ index }) => {
    const entries = metadatas.map((metadata, i) => entryOf(`e${i}`, vector, metadata));
    await checkKept(index, entries);
  },

  'returns entries in the order of the requested ids and skips unknown ids': async ({ index }) => {
    await index.upsert(['a', 'b', 'c'].map((id) => entryOf(id, vector)));
    checkSame(idsOf(await index.get(['c', 'x', 'a'])), ['c', 'a'], 'the entries');
    checkSame(await index.get([]), [], 'the entries for no ids');
    checkSame(await index.get(['x']), [], 'the entries for an unknown id');
  },

  'replaces an entry completely': async ({ index }) => {
    await index.upsert([entryOf('a', vectorOf(1), { old: 1, both: 1 }, 'old'), entryOf('b', vectorOf(0, 1))]);
    await index.upsert([entryOf('a', vectorOf(0, 0, 1), { both: 2 }, 'new')]);
    checkSame(await index.count(), 2, 'the count');
    checkSame(await index.get(['a']), [{ id: 'a', text: 'new', metadata: { both: 2 } }], 'the entry');
    const [best] = await index.search(vectorOf(0, 0, 1), { limit: 1 });
    checkSame([best?.id, best?.text, best?.score], ['a', 'new', 1], 'the hit');
    for (const filter of [{ old: 1 }, { both: 1 }] as readonly VectorMetadata[]) {
      checkSame(await index.search(vectorOf(0, 0, 1), { limit, filter }), [], `the hits for the old filter ${JSON.stringify(filter)}`);
    }
    checkSame(idsOf(await index.search(vectorOf(0, 0, 1), { limit, filter: { both: 2 } })), ['a'], 'the hits for the new value');
  },

  'keeps the last of several entries with one id': async ({ index }) => {
    await index.upsert([entryOf('a', vectorOf(1), {}, 'first'), entryOf('b', vectorOf(1)), entryOf('a', vectorOf(0, 1), {}, 'last')]);
    checkSame([await index.count(), (await index.get(['a']))[0]?.text], [2, 'last'], 'count and text');
  },

  'does nothing for an empty list or unknown ids': async ({ index }) => {
    await index.upsert([]);
    await index.remove([]);
    await index.remove(['x', 'y']);
    checkSame(await index.count(), 0, 'the count');
  },

  'removes entries and ignores unknown ids': async ({ index }) => {
    await index.upsert(['a', 'b', 'c', 'd', 'e'].map((id, i) => entryOf(id, vectorOf(1, i), { id })));
    await index.remove(['b', 'x', 'd', 'b']);
    checkSame(await index.count(), 3, 'the count');
    checkSame(idsOf(await index.get(['a', 'b', 'c', 'd', 'e'])), ['a', 'c', 'e'], 'the entries');
    checkSame(idsOf(await index.search(vectorOf(1), { limit })), ['a', 'c', 'e'], 'the answer');
    checkSame(await index.search(vectorOf(1), { limit, filter: { id: 'b' } }), [], 'the filtered hits');
    await index.upsert([entryOf('b', vectorOf(1, 0.5), {}, 'again')]);
    checkSame(idsOf(await index.search(vectorOf(1), { limit })), ['a', 'b', 'c', 'e'], 'the hits after an entry is back');
  },

  'writes all entries or none and names both numbers of dimensions': async ({ index }) => {
    await index.upsert([entryOf('a', vector, {}, 'old')]);
    const wrongs: readonly VectorEntry[] = [
      entryOf('w', new Float32Array(3)),
      entryOf('w', new Float32Array(9)),
      entryOf('w', vectorOf(Number.NaN)),
      entryOf('w', vectorOf(Number.POSITIVE_INFINITY)),
      entryOf('', vector),
      entryOf('x'.repeat(513), vector),
      entryOf('half \ud800', vector),
      entryOf('w', vector, {}, '\udc00 half'),
      entryOf('w', vector, { 'a b': 1 }),
      entryOf('w', vector, { ['x'.repeat(65)]: 1 }),
      entryOf('w', vector, { a: Number.NaN }),
      entryOf('w', vector, { a: 'half \ud800' }),
    ];
    for (const wrong of wrongs) {
      const { message } = await checkRefused(
        () => index.upsert([entryOf('a', vector, {}, 'new'), entryOf('b', vector), wrong]),
        'VECTOR_INVALID',
      );
      const { length } = wrong.vector;
      check(length === 8 || new RegExp(`\\b${length}\\b.*\\b8\\b`).test(message), `"${message}" names ${length} and 8`);
    }
    checkSame([await index.count(), (await index.get(['a', 'b'])).map(({ text }) => text)], [1, ['old']], 'the remaining entries');
  },

  'does not change when arguments or results are changed later': async ({ index }) => {
    const given = vectorOf(1);
    const metadata = { document: 'a' };
    await index.upsert([entryOf('a', given, metadata)]);
    given.fill(-1);
    metadata.document = 'b';
    const [got] = await index.get(['a']);
    Object.assign(got?.metadata ?? {}, { document: 'c' });
    const [hit] = await index.search(vectorOf(1), { limit });
    checkSame([hit?.score, hit?.metadata], [1, { document: 'a' }], 'score and metadata');
  },
};
