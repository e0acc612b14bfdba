import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type SqliteIndexOptions, sqliteIndex } from 'agent-machines/search/node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const embedder = { name: 'example', dimensions: 2 };
let folder = '';
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-index-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newPath = (): string => join(folder, 'made', `${files++}.db`);
const open = (options: Partial<SqliteIndexOptions> = {}) => sqliteIndex({ path: ':memory:', embedder, ...options });
const entry = (id: string, text: string, metadata = {}, vector = Float32Array.of(1, 0)) => ({ id, text, metadata, vector });
const ids = (hits: readonly { readonly id: string }[]) => hits.map(({ id }) => id);

describe('vectors', () => {
  it('are compared by sqlite-vec if it loads, unless an option forbids it', async () => {
    expect((await open()).compare).toBe('sqlite-vec');
    expect((await open({ compare: 'js' })).compare).toBe('js');
  });

  it('return the same hits with and without sqlite-vec', async () => {
    const number = fc.float({ noNaN: true, noDefaultInfinity: true });
    // also many on one line, whose cosines differ by rounding only
    const vector = fc.oneof(
      fc.tuple(number, number),
      fc.integer({ min: 1, max: 99 }).map((length) => [0.1 * length, 0.3 * length] as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(vector, { maxLength: 60 }), vector, fc.integer({ min: 1, max: 20 }), async (vectors, query, limit) => {
        const entries = vectors.map((numbers, i) => entry(`e${i}`, '', {}, Float32Array.from(numbers)));
        const answers = [];
        for (const compare of ['js', 'sqlite-vec'] as const) {
          const index = await open({ compare });
          await index.upsert(entries);
          answers.push(await index.search(Float32Array.from(query), { limit }));
          await index.close();
        }
        expect(answers[1]).toEqual(answers[0]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('searchWords', () => {
  const texts = {
    term: '제3조(계약기간) 계약기간은 1년으로 한다.',
    damages: '제9조(손해배상) 갑은 을에게 손해를 배상한다.',
    notice: 'Article 4 (Notices) All notices are sent in writing.',
  };
  const filled = async () => {
    const index = await open();
    await index.upsert(Object.entries(texts).map(([id, text]) => entry(id, text, { korean: id !== 'notice' })));
    return index;
  };

  it('finds Korean by pairs of letters with any particle, and English by stems', async () => {
    const index = await filled();
    const cases = { '계약 기간이': ['term'], 손해배상을: ['damages'], notice: ['notice'], 'the NOTICES': ['notice'], 위약금: [], '': [] };
    for (const [query, found] of Object.entries(cases)) expect(ids(await index.searchWords(query, { limit: 1 })), query).toEqual(found);
  });

  it('returns the best first, with scores above 0 and ties by id', async () => {
    const index = await open();
    await index.upsert([entry('c', '해지'), entry('b', '해지'), entry('a', '해지한다 해제한다 취소한다'), entry('d', '무관')]);
    const hits = await index.searchWords('해지', { limit: 5 });
    expect(ids(hits)).toEqual(['b', 'c', 'a']);
    expect(hits.every(({ score }) => score > 0)).toBe(true);
    expect(ids(await index.searchWords('해지', { limit: 1 }))).toEqual(['b']);
  });

  it('searches the words of wordsOf', async () => {
    const index = await open({ wordsOf: ({ metadata }) => String(metadata.title) });
    await index.upsert([entry('a', 'text', { title: '제목' })]);
    expect(ids(await index.searchWords('제목', { limit: 5 }))).toEqual(['a']);
    expect(await index.searchWords('text', { limit: 5 })).toEqual([]);
  });

  it('filters', async () => {
    const index = await filled();
    expect(ids(await index.searchWords('계약 notices', { limit: 5, filter: { korean: false } }))).toEqual(['notice']);
    await expect(index.searchWords('계약', { limit: 5, filter: { 'a b': 1 } })).rejects.toMatchObject({ code: 'VECTOR_INVALID' });
    await expect(index.searchWords('계약', { limit: 0 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('omits replaced and removed entries', async () => {
    const index = await filled();
    await index.upsert([entry('term', '다른 내용')]);
    await index.remove(['damages']);
    expect(await index.searchWords('계약기간 손해배상', { limit: 5 })).toEqual([]);
  });

  it("does not read a query as SQLite's own language", async () => {
    const index = await filled();
    for (const query of ['" OR *', 'NEAR(a b)', 'tokens:계약', 'NOT', '^', 'a" AND "b', '-계약기간']) {
      await expect(index.searchWords(query, { limit: 5 })).resolves.toBeInstanceOf(Array);
    }
  });

  it('accepts a query of ten thousand words', async () => {
    const index = await filled();
    const query = `${Array.from({ length: 10_000 }, (_, i) => `w${i}`).join(' ')} 손해배상`;
    expect(ids(await index.searchWords(query, { limit: 5 }))).toEqual(['damages']);
  });

  it('refuses calls after close, and after an abort', async () => {
    const index = await filled();
    await expect(index.searchWords('계약', { limit: 5, signal: AbortSignal.abort('no more') })).rejects.toBe('no more');
    await index.close();
    await expect(index.searchWords('계약', { limit: 5 })).rejects.toMatchObject({ code: 'INDEX_CLOSED' });
  });
});

describe('the file of an index', () => {
  it('is created with its folder, and shared', async () => {
    const path = newPath();
    const [one, other] = [await open({ path }), await open({ path })];
    await one.upsert([entry('a', '하나')]);
    await other.upsert([entry('b', '둘둘', {}, Float32Array.of(0, 1))]);
    expect(ids(await one.search(Float32Array.of(0, 1), { limit: 1 }))).toEqual(['b']);
    expect(ids(await one.searchWords('둘둘', { limit: 1 }))).toEqual(['b']);
    expect(await other.count()).toBe(2);
  });

  it('is refused and unchanged if another program made it', async () => {
    const path = join(folder, 'other.db');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE entries (x)');
    other.close();
    await expect(open({ path })).rejects.toMatchObject({ code: 'STORE_VERSION' });
    const after = new DatabaseSync(path);
    expect(after.prepare('SELECT name FROM sqlite_schema').all()).toMatchObject([{ name: 'entries' }]);
    expect(after.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'delete' });
    after.close();
  });

  it('is refused if a newer version made it', async () => {
    const path = newPath();
    await (await open({ path })).close();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 2');
    newer.close();
    await expect(open({ path })).rejects.toMatchObject({ code: 'STORE_VERSION', data: { version: 2, known: 1 } });
  });

  it('is unavailable if it cannot be opened, or is not a database', async () => {
    await expect(open({ path: folder })).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: false });
    const path = join(folder, 'text.db');
    writeFileSync(path, 'This is a text and not a database, however long it is. '.repeat(20));
    await expect(open({ path })).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE' });
  });

  it('is temporarily unavailable while another process writes to it', async () => {
    const path = newPath();
    const index = await open({ path, busyTimeoutMs: 0 });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(index.upsert([entry('a', '')])).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: true });
    other.exec('ROLLBACK');
    other.close();
    await index.upsert([entry('a', '')]);
    expect(await index.count()).toBe(1);
  });
});

describe('a damaged index file', () => {
  const changed = async (change: string) => {
    const path = newPath();
    const index = await open({ path });
    await index.upsert([entry('a', 'word', { of: 'a' })]);
    await index.close();
    const db = new DatabaseSync(path);
    db.exec(change);
    db.close();
    return open({ path, compare: 'js' });
  };

  it.each(['{nope', '[1]', 'null', '{"__proto__":1}', '{"of":{}}'])('is refused with the metadata %s', async (metadata) => {
    const index = await changed(`UPDATE entries SET metadata = '${metadata}'`);
    const found = { code: 'INDEX_CORRUPT' };
    await expect(index.get(['a'])).rejects.toMatchObject(found);
    await expect(index.search(Float32Array.of(1, 0), { limit: 1 })).rejects.toMatchObject(found);
    await expect(index.searchWords('word', { limit: 1 })).rejects.toMatchObject(found);
    await index.close();
  });

  it.each([0, 3, 4, 400])('is refused with a vector of %i bytes', async (bytes) => {
    const index = await changed(`UPDATE vectors SET unit = zeroblob(${bytes})`);
    await expect(index.search(Float32Array.of(1, 0), { limit: 1 })).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
    await index.close();
  });
});
