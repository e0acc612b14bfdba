import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFile } from '../../core/node/files/make-private-file.ts';
import type { VectorEntry } from '../../core/ports/vector-index.ts';
import { metadataIn } from './guarded-index.ts';
import { assertSameEmbedder, type EmbedderMark, indexCorrupt } from './index-errors.ts';

/** Data that FAISS does not store. `rows` are in the order of its vectors; entries with zero vectors have no row. */
export interface FaissManifest {
  readonly format: 'agent-machines/faiss';
  readonly version: 1;
  readonly embedder: EmbedderMark;
  /** Sequence number of the write. */
  readonly generation: number;
  /** Hash of the vector file. */
  readonly sha256: string;
  readonly rows: readonly Omit<VectorEntry, 'vector'>[];
  readonly zeros: readonly Omit<VectorEntry, 'vector'>[];
}

const manifestOf = (indexPath: string): string => `${indexPath}.json`;
/** Each write has its own file. The manifest names the current one, and is replaced atomically. */
export const vectorsOf = (indexPath: string, generation: number): string => `${indexPath}.${generation}`;

/** @throws {WorkflowError} `INDEX_CORRUPT`, `INDEX_OF_OTHER_EMBEDDER`; errors of the file system. */
export function readManifest(indexPath: string, embedder: EmbedderMark): FaissManifest | undefined {
  const path = manifestOf(indexPath);
  if (!existsSync(path)) return undefined;
  const manifest = parse(path);
  assertSameEmbedder(indexPath, manifest.embedder, embedder);
  const vectors = vectorsOf(indexPath, manifest.generation);
  // FAISS may crash the process on a damaged file
  if (!existsSync(vectors) || sha256(vectors) !== manifest.sha256) {
    throw indexCorrupt(indexPath, `"${basename(vectors)}" is missing or has changed.`);
  }
  return manifest;
}

function parse(path: string): FaissManifest {
  const text = readFileSync(path, 'utf8');
  try {
    const manifest = JSON.parse(text) as FaissManifest;
    if (manifest.format === 'agent-machines/faiss' && manifest.version === 1) return checked(manifest);
  } catch (cause) {
    throw indexCorrupt(path, 'it cannot be read.', cause);
  }
  throw indexCorrupt(path, 'another program or a newer version made it.');
}

function checked(manifest: FaissManifest): FaissManifest {
  const { generation, sha256, embedder, rows, zeros } = manifest;
  const areTexts = [sha256, embedder.name].every((text) => typeof text === 'string');
  if (!areTexts || !Number.isSafeInteger(generation) || !Number.isSafeInteger(embedder.dimensions))
    throw new TypeError('A field is missing or has the wrong type.');
  for (const { id, text, metadata } of [...rows, ...zeros]) {
    if (typeof id !== 'string' || typeof text !== 'string') throw new TypeError('An entry has no id or no text.');
    metadataIn(metadata);
  }
  return manifest;
}

/** Writes the next generation atomically. */
export function writeManifest(
  indexPath: string,
  manifest: Omit<FaissManifest, 'format' | 'version' | 'sha256'>,
  writeVectors: (path: string) => void,
): void {
  const vectors = vectorsOf(indexPath, manifest.generation);
  makePrivateFile(vectors);
  writeVectors(vectors);
  toDisk(vectors);
  const path = manifestOf(indexPath);
  const fresh = `${path}.new`;
  const whole: FaissManifest = { format: 'agent-machines/faiss', version: 1, ...manifest, sha256: sha256(vectors) };
  writeFileSync(fresh, JSON.stringify(whole), { mode: 0o600 });
  toDisk(fresh);
  renameSync(fresh, path);
  if (process.platform !== 'win32') toDisk(join(dirname(indexPath), '.'));
  rmSync(vectorsOf(indexPath, manifest.generation - 1), { force: true });
}

function toDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
