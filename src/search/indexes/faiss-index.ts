import { WorkflowError } from '../../core/errors/errors.ts';
import type { VectorEntry, VectorHit, VectorIndex } from '../../core/ports/vector-index.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionalPackage, type PackageOrLoader } from '../../core/util/optional-package.ts';
import { bestHits, candidates } from './best-hits.ts';
import { readManifest, vectorsOf, writeManifest } from './faiss-index-files.ts';
import type { FaissPackage, FaissVectors } from './faiss-package.ts';
import { guardedIndex, matches, type StoredEntry } from './guarded-index.ts';
import { type EmbedderMark, indexCorrupt, indexUnavailable } from './index-errors.ts';

export type { FaissPackage } from './faiss-package.ts';

export interface FaissIndexOptions {
  /** Path prefix of its files: `<indexPath>.json`, and the vectors in `<indexPath>.<number>`. The folder is created if missing. */
  readonly indexPath: string;
  /** The embedder of the vectors. */
  readonly embedder: EmbedderMark;
  /** The package `faiss-node`, or a function that imports it. @default () => import('faiss-node') */
  readonly faiss?: PackageOrLoader<FaissPackage | { readonly default: FaissPackage }>;
}

/**
 * Compares vectors with FAISS (`IndexFlatIP`: exact), with the package `faiss-node`. The whole index is in memory, and each write stores
 * all of it, so add many entries at once. Supports one process at a time.
 *
 * @throws {WorkflowError} `ADAPTER_MISSING` without `faiss-node`; `INDEX_UNAVAILABLE`, `INDEX_CORRUPT`, `INDEX_OF_OTHER_EMBEDDER`.
 * @example const index = await faissIndex({ indexPath: 'contracts.faiss', embedder: hashedEmbedder() });
 */
export async function faissIndex({ indexPath, embedder, faiss }: FaissIndexOptions): Promise<VectorIndex> {
  const dimensions = checkInteger('embedder.dimensions', embedder.dimensions, { min: 1 });
  const { IndexFlatIP } = faissOf(await optionalPackage('faiss-node', importFaiss, faiss));
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw WorkflowError.isInstance(cause) ? cause : indexUnavailable(indexPath, cause, false);
    }
  };

  const read = (): State => {
    const manifest = readManifest(indexPath, embedder);
    if (!manifest) return { vectors: new IndexFlatIP(dimensions), ids: [], entries: new Map(), generation: 0 };
    const { rows, zeros, generation } = manifest;
    const vectors = IndexFlatIP.read(vectorsOf(indexPath, generation));
    if (vectors.ntotal() !== rows.length || vectors.getDimension() !== dimensions) {
      throw indexCorrupt(indexPath, 'its vectors do not match its entries.');
    }
    return { vectors, ids: rows.map(({ id }) => id), entries: new Map([...rows, ...zeros].map((entry) => [entry.id, entry])), generation };
  };
  const store = (state: State): void => {
    const { vectors, ids, entries, generation } = state;
    const withVector = new Set(ids);
    const rows = ids.flatMap((id) => entries.get(id) ?? []);
    const zeros = [...entries.values()].filter(({ id }) => !withVector.has(id));
    const { name } = embedder;
    writeManifest(indexPath, { embedder: { name, dimensions }, generation: generation + 1, rows, zeros }, (path) => vectors.write(path));
    state.generation++;
  };
  let state = guard(() => {
    const found = read();
    if (found.generation === 0) store(found);
    return found;
  });
  const write = (change: (state: State) => void): void =>
    guard(() => {
      try {
        change(state);
        store(state);
      } catch (cause) {
        state = read(); // restores the previous state
        throw cause;
      }
    });

  return guardedIndex('faiss', dimensions, {
    async upsert(entries) {
      write((state) => {
        drop(
          state,
          entries.map(({ id }) => id),
        );
        for (const entry of entries) add(state, entry);
      });
    },
    async remove(ids) {
      if (ids.some((id) => state.entries.has(id))) write((state) => drop(state, ids));
    },
    async search({ unit, limit, filter }) {
      const query = Array.from(unit);
      const ask = (count: number): readonly VectorHit[] => nearest(state, query, count);
      const accepts = ({ metadata }: VectorHit): boolean => matches(metadata, filter);
      return bestHits(await candidates({ limit, ask, accepts, most: state.ids.length }), limit);
    },
    async get(ids) {
      return ids.flatMap((id) => {
        const entry = state.entries.get(id);
        return entry ? [copyOf(entry)] : [];
      });
    },
    async count() {
      return state.entries.size;
    },
    async close() {
      state = { vectors: new IndexFlatIP(dimensions), ids: [], entries: new Map(), generation: 0 };
    },
  });
}

interface State {
  readonly vectors: FaissVectors;
  /** Ids in the order of the vectors. */
  ids: string[];
  readonly entries: Map<string, Omit<VectorEntry, 'vector'>>;
  generation: number;
}

/** Returns the entries with the nearest vectors, best first. */
function nearest({ vectors, ids, entries }: State, query: number[], count: number): readonly VectorHit[] {
  const { labels, distances } = count === 0 ? { labels: [], distances: [] } : vectors.search(query, Math.min(count, ids.length));
  return labels.flatMap((label, i) => {
    const entry = entries.get(ids[label] ?? '');
    return entry ? [{ ...copyOf(entry), score: distances[i] ?? 0 }] : [];
  });
}

function add({ vectors, ids, entries }: State, { unit, ...entry }: StoredEntry): void {
  entries.set(entry.id, entry);
  if (!unit) return;
  vectors.add(Array.from(unit));
  ids.push(entry.id);
}

function drop(state: State, ids: readonly string[]): void {
  const dropped = new Set(ids.filter((id) => state.entries.delete(id)));
  const rows = state.ids.flatMap((id, row) => (dropped.has(id) ? [row] : []));
  if (rows.length === 0) return;
  state.vectors.removeIds(rows); // later rows move up
  state.ids = state.ids.filter((id) => !dropped.has(id));
}

const copyOf = ({ id, text, metadata }: Omit<VectorEntry, 'vector'>): Omit<VectorEntry, 'vector'> => ({
  id,
  text,
  metadata: { ...metadata },
});

const importFaiss = (): Promise<FaissPackage> => {
  const name = 'faiss-node'; // not a literal, so type checks do not need the package
  return import(name);
};

/** The package is CommonJS, so an import has its exports in `default`. */
const faissOf = (module: FaissPackage | { readonly default: FaissPackage }): FaissPackage =>
  'default' in module ? module.default : module;
