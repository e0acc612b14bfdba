import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ChromaPackage } from '../../../src/search/adapters/chroma-package.ts';

const folder = new URL('.', import.meta.url);
const lock = new URL('package-lock.json', folder);
/** A copy of the lock file that was installed to its end. */
const installed = new URL('node_modules/.installed', folder);

/** Installs the package `chromadb` and the server in it, once. */
export function installChroma(): void {
  if (isInstalled()) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fileURLToPath(folder), stdio: 'inherit' });
  writeFileSync(installed, readFileSync(lock));
}

/** What was installed is what the lock file asks for. */
export const isInstalled = (): boolean => existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8');

/** Imports what was installed, as `import('chromadb')` would. */
export const importChroma = (): Promise<ChromaPackage> => import(new URL('node_modules/chromadb/dist/chromadb.mjs', folder).href);
