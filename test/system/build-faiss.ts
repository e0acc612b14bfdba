import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FaissPackage } from 'agent-machines/search/node';

const folder = new URL('faiss/', import.meta.url);
const built = new URL('node_modules/faiss-node/build/Release/faiss-node.node', folder);

/**
 * Builds `faiss-node` from its npm source, once. Its own install script would download a binary, or FAISS from GitHub; this takes the
 * system's FAISS instead: `apt-get install g++ libfaiss-dev`.
 */
export function buildFaiss(): void {
  if (existsSync(built)) return;
  const run = (command: string, ...args: readonly string[]): void => {
    execFileSync(command, args, { cwd: fileURLToPath(folder), stdio: 'inherit' });
  };
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  mkdirSync(new URL('.', built), { recursive: true });
  const unfinished = `${fileURLToPath(built)}.new`;
  const includes = ['-include', 'older-faiss.h', '-I', 'node_modules/node-api-headers/include', '-I', 'node_modules/node-addon-api'];
  const source = 'node_modules/faiss-node/src/faiss.cc';
  const libraries = ['-fopenmp', '-lfaiss', '-llapack', '-lblas'];
  run('g++', '-std=c++17', '-O2', '-shared', '-fPIC', '-DNAPI_VERSION=6', ...includes, source, ...libraries, '-o', unfinished);
  renameSync(unfinished, fileURLToPath(built));
}

/** Imports what was built, as `import('faiss-node')` would; `undefined` when nothing was. */
export function importFaiss(): (() => Promise<FaissPackage>) | undefined {
  if (!existsSync(built)) return undefined;
  const { href } = pathToFileURL(createRequire(folder).resolve('faiss-node'));
  return () => import(href);
}
