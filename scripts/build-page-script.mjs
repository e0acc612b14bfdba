// Bundles the script of the inspector's page into one file, which the page holds inline.
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

export async function buildPageScript(outfile = 'dist/src/studio/inspector/page/page-script.js') {
  const { outputFiles } = await build({
    entryPoints: ['src/studio/inspector/page/client/main.ts'],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
  });
  // HTML ends a script at `</script`, also inside a string
  writeFileSync(outfile, outputFiles[0].text.trim().replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--'));
}
