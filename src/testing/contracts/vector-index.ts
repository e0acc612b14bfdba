import type { Embedder } from '../../core/ports/embedder.ts';
import type { VectorIndex } from '../../core/ports/vector-index.ts';
import { type ContractCase, toContractCases } from '../contract-case.ts';
import { exampleEmbedder, type VectorSubject } from './example-vectors.ts';
import { vectorEntryCases } from './vector-entry-cases.ts';
import { vectorLifeCases, vectorReopenCases } from './vector-life-cases.ts';
import { vectorSearchCases } from './vector-search-cases.ts';

export interface VectorIndexContractOptions {
  /** Expects a reopened index to keep its entries. @default true */
  readonly persistent?: boolean;
}

/**
 * Returns the contract of a `VectorIndex` as cases for any test runner.
 *
 * @param open opens the index of a place, and creates it if it does not exist. A place is a name of 1 to 40 of `a-z`, `0-9` and `-`; each
 * case uses new ones. The case closes the indexes that it has opened.
 * @example
 * for (const { name, run } of vectorIndexContract((place, embedder) => myIndex({ name: place, embedder }))) it(name, run);
 */
export function vectorIndexContract(
  open: (place: string, embedder: Pick<Embedder, 'name' | 'dimensions'>) => Promise<VectorIndex>,
  { persistent = true }: VectorIndexContractOptions = {},
): readonly ContractCase[] {
  // unique per run, so that runs on one server use different places
  const run = Math.trunc(performance.timeOrigin + performance.now()).toString(36);
  let places = 0;
  const create = async (): Promise<VectorSubject> => {
    const opened: VectorIndex[] = [];
    const here = `contract-${run}-${places++}`;
    const openAt: VectorSubject['open'] = async (place = '', embedder = exampleEmbedder) => {
      const index = await open(`${here}${place}`, embedder);
      opened.push(index);
      return index;
    };
    const close = async (): Promise<void> => {
      for (const index of opened) await index.close();
    };
    return { index: await openAt(), open: openAt, close };
  };
  const groups = [vectorEntryCases, vectorSearchCases, vectorLifeCases, ...(persistent ? [vectorReopenCases] : [])];
  return groups.flatMap((cases) => toContractCases(cases, create, ({ close }) => close()));
}
