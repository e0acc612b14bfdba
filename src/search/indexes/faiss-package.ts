/** The used part of the package `faiss-node`, to keep the package out of our types. */
export interface FaissPackage {
  readonly IndexFlatIP: { new (dimensions: number): FaissVectors; read(path: string): FaissVectors };
}

/** A FAISS index. */
export interface FaissVectors {
  ntotal(): number;
  getDimension(): number;
  add(numbers: readonly number[]): void;
  search(query: readonly number[], count: number): { readonly labels: readonly number[]; readonly distances: readonly number[] };
  removeIds(rows: readonly number[]): number;
  write(path: string): void;
}
