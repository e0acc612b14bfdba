// Removed text is in no byte of an index's file and its log, without rewriting the file.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLongTermMemory } from 'agent-machines/memory';
import { hashedEmbedder } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { share } from '../../../fixtures/share.ts';

const mark = 'NEEDLE';
const embedder = { name: 'example', dimensions: 16 };

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'removed-entries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'memory.db');
}
const bytesOf = (path: string): string =>
  [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : '')).join('');
const marksIn = (path: string): number => bytesOf(path).split(mark).length - 1;

/** A number below `max`, the same for a seed each time. */
function numbers(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
}

const entriesOf = (below: (max: number) => number, wanted: (n: number) => boolean) =>
  Array.from({ length: 300 }, (_, n) => ({
    id: `memory.${below(1_000_000)}.${n}`,
    text: `${wanted(n) ? mark : 'kept'} ${n} `.repeat([90, 200, 300, 100][below(4)] ?? 1),
    vector: Float32Array.from({ length: embedder.dimensions }, (_, i) => i + 1),
    metadata: { memoryOf: 'kim', createdAt: n },
  }));

describe('removed text', () => {
  it.each(Array.from({ length: share(20) }, (_, n) => 2 * n + 1))('is gone after removals in any order (seed %i)', async (seed) => {
    const path = newPath();
    const index = await sqliteIndex({ path, embedder, wordsOf: () => '' });
    const below = numbers(seed + 1);
    const entries = entriesOf(below, () => below(3) === 0);
    for (let n = 0; n < entries.length; n += 50) await index.upsert(entries.slice(n, n + 50));
    const idsOf = (isMarked: boolean) => entries.filter(({ text }) => text.startsWith(mark) === isMarked).map(({ id }) => id);
    const left = idsOf(false).filter(() => below(6) === 0);
    // rows that move because others go leave copies of themselves
    for (const id of idsOf(false)) if (!left.includes(id)) await index.remove([id]);
    const wanted = idsOf(true);
    while (wanted.length > 0) await index.remove(wanted.splice(below(wanted.length), 1 + below(4)));
    expect(marksIn(path)).toBe(0);
    expect(await index.get(left)).toEqual(entries.filter(({ id }) => left.includes(id)).map(({ vector: _, ...entry }) => entry));
    expect(
      await index.search(
        Float32Array.from({ length: 16 }, (_, i) => i + 1),
        { limit: 300 },
      ),
    ).toHaveLength(left.length);
    await index.close();
  });

  it('is gone after a removal in many places, with overflow pages and an open index', async () => {
    const path = newPath();
    const other = await sqliteIndex({ path, embedder, wordsOf: () => '' });
    const index = await sqliteIndex({ path, embedder, wordsOf: () => '' });
    const entries = entriesOf(numbers(1), (n) => n % 3 === 0).map((one, n) =>
      n % 30 === 0 ? { ...one, text: one.text.repeat(100) } : one,
    );
    await other.upsert(entries);
    await index.remove(entries.filter((_, n) => n % 3 === 1).map(({ id }) => id));
    await index.remove(entries.filter((_, n) => n % 3 === 0).map(({ id }) => id));
    expect(marksIn(path)).toBe(0);
    expect(await other.count()).toBe(100);
    await index.close();
    await other.close();
  });

  it('is gone without damage to a neighbour with U+0000', async () => {
    const index = await sqliteIndex({ path: newPath(), embedder });
    const [first, second, third] = entriesOf(numbers(1), () => false);
    if (!first || !second || !third) throw new Error('there are none');
    await index.upsert([first, second, { ...third, text: 'before\0after' }]);
    await index.remove([second.id]);
    expect(await index.get([first.id, third.id])).toMatchObject([{ text: first.text }, { text: 'before\0after' }]);
    await index.close();
  });

  it('is gone from a memory when an interrupted forget is repeated', async () => {
    const path = newPath();
    const embedder = hashedEmbedder();
    const index = await sqliteIndex({ path, embedder, wordsOf: () => '', busyTimeoutMs: 20 });
    const memory = createLongTermMemory({ index, embedder });
    const { id } = await memory.write('kim', { kind: 'fact', text: `${mark} lives in Seoul` });
    const reader = new DatabaseSync(path);
    reader.exec('BEGIN; SELECT * FROM entries');
    await expect(memory.forget('kim', [id])).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: true });
    reader.close();
    expect(marksIn(path)).toBeGreaterThan(0);
    expect(await memory.forget('kim', [id])).toBe(0);
    expect(marksIn(path)).toBe(0);
    await index.close();
  });
});
