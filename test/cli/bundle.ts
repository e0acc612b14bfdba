import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Where bundles are kept, by what is in them. */
const folder = resolve('node_modules/.cache/bundles');

/** Found beside their own files, or hardly ever loaded. */
const external = ['@opensearch-project/*', '@pydantic/*', 'mammoth', 'sqlite-vec', 'undici', 'unpdf'];

/**
 * Puts a program of the sources into a few files. It is started more than a hundred times, and finding and compiling five hundred modules
 * took most of that; `demo.test.ts`, `old-node.test.ts` and `readme.test.ts` start what is not bundled.
 *
 * @returns the path of the program.
 */
export async function bundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    splitting: true,
    write: false,
    outdir: folder,
    format: 'esm',
    outExtension: { '.js': '.mjs' }, // or Node would look at each file to find out what it is
    platform: 'node',
    target: 'node22',
    conditions: ['@agent-machines/source'],
    external,
    plugins: [ownAddresses],
    logLevel: 'warning',
  });
  const hash = createHash('sha256');
  for (const { path, contents } of outputFiles) hash.update(path).update(contents);
  const home = join(folder, hash.digest('hex').slice(0, 16));
  if (!existsSync(home)) {
    mkdirSync(folder, { recursive: true });
    const half = mkdtempSync(join(folder, 'half-'));
    for (const { path, contents } of outputFiles) writeFileSync(join(half, basename(path)), contents);
    try {
      renameSync(half, home);
    } catch (error) {
      if (!existsSync(home)) throw error;
      rmSync(half, { recursive: true }); // another process was faster
    }
  }
  return join(home, basename(program).replace(/\.ts$/, '.mjs'));
}

/** A module still finds what is beside its source. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:src|machines)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll("import.meta.resolve('agent-machines/package.json')", JSON.stringify(pathToFileURL(resolve('package.json')).href))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};
