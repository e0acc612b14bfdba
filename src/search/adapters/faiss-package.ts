/** The part of the package `faiss-node` that is used, so that it is not in our types. */
export interface FaissPackage {
  readonly IndexFlatIP: { new (dimensions: number): FaissVectors; read(path: string): FaissVectors };
}

/** An index of FAISS. */
export interface FaissVectors {
  ntotal(): number;
  getDimension(): number;
  add(numbers: readonly number[]): void;
  search(query: readonly number[], count: number): { readonly labels: readonly number[]; readonly distances: readonly number[] };
  removeIds(rows: readonly number[]): number;
  write(path: string): void;
}
