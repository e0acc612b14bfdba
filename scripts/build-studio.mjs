// Builds the studio's page. Everything that it needs is in the package: it loads nothing from elsewhere, and nothing is inline, as its
// Content-Security-Policy asks.
import { resolve } from 'node:path';
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
}
