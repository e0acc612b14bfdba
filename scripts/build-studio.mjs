// Builds the studio's page. Everything that it needs is in the package: it loads nothing from elsewhere, and nothing is inline, as its
// Content-Security-Policy asks.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** @param outDir where the page is written; what is there is removed. */
export async function buildStudio(outDir = 'dist/src/studio/page') {
  await build({
    configFile: false,
    root: 'src/studio',
    base: './',
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: resolve(outDir),
      emptyOutDir: true,
      target: ['chrome125', 'firefox125', 'safari18'],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
    },
  });
  await compressFiles(resolve(outDir));
}

/** Writes a compressed copy beside each text of a folder: a server then sends what was compressed once. */
async function compressFiles(folder) {
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => /\.(?:html|js|css|svg|json)$/.test(name))) {
    const path = join(folder, file);
    await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
  }
}
