import type { VectorHit, VectorIndex } from '../../core/ports/vector-index.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { bestHits } from './best-hits.ts';
import { guardedIndex, matches, type StoredEntry } from './guarded-index.ts';
import type { EmbedderMark } from './index-errors.ts';
import { dot } from './vector-math.ts';

export interface MemoryIndexOptions {
  /** The embedder of the vectors. */
  readonly embedder: EmbedderMark;
}

/**
 * Stores entries in memory and compares each of them: exact. `close` discards all of them.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an embedder without dimensions.
 * @example const index = memoryIndex({ embedder: hashedEmbedder() });
 */
export function memoryIndex({ embedder }: MemoryIndexOptions): VectorIndex {
  const dimensions = checkInteger('embedder.dimensions', embedder.dimensions, { min: 1 });
  /** Entries by id, each with its row in `units`; entries with zero vectors have no row. */
  const entries = new Map<string, Omit<StoredEntry, 'unit'>>();
  const rows = new Map<string, number>();
  const idOf: string[] = [];
  let units = new Float32Array(0);

  const drop = (id: string): void => {
    entries.delete(id);
    const row = rows.get(id);
    if (row === undefined) return;
    rows.delete(id);
    const last = idOf.pop();
    if (last === undefined || last === id) return;
    units.copyWithin(row * dimensions, idOf.length * dimensions, (idOf.length + 1) * dimensions);
    idOf[row] = last;
    rows.set(last, row);
  };
  const keep = ({ unit, ...entry }: StoredEntry): void => {
    drop(entry.id);
    entries.set(entry.id, entry);
    if (!unit) return;
    const row = idOf.length;
    if ((row + 1) * dimensions > units.length) {
      const grown = new Float32Array(Math.max(16, row * 2) * dimensions);
      grown.set(units);
      units = grown;
    }
    units.set(unit, row * dimensions);
    idOf.push(entry.id);
    rows.set(entry.id, row);
  };
  const copyOf = ({ id, text, metadata }: Omit<StoredEntry, 'unit'>): Omit<StoredEntry, 'unit'> => ({
    id,
    text,
    metadata: { ...metadata },
  });

  return guardedIndex('memory', dimensions, {
    async upsert(added) {
      for (const entry of added) keep(entry);
    },
    async remove(ids) {
      for (const id of ids) drop(id);
    },
    async search({ unit, limit, filter }) {
      const isFiltered = Object.keys(filter).length > 0;
      const target = Float64Array.from(unit);
      const scored: { id: string; score: number }[] = [];
      for (const [row, id] of idOf.entries()) {
        if (isFiltered && !matches(entries.get(id)?.metadata ?? {}, filter)) continue;
        scored.push({ id, score: dot(target, units, row * dimensions) });
      }
      return bestHits(scored, limit).flatMap(({ id, score }): VectorHit[] => {
        const entry = entries.get(id);
        return entry ? [{ ...copyOf(entry), score }] : [];
      });
    },
    async get(ids) {
      return ids.flatMap((id) => {
        const entry = entries.get(id);
        return entry ? [copyOf(entry)] : [];
      });
    },
    async count() {
      return entries.size;
    },
    async close() {
      entries.clear();
      rows.clear();
      idOf.length = 0;
      units = new Float32Array(0);
    },
  });
}
