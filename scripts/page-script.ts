import { buildSync } from 'esbuild';

/** The file that holds the script of the inspector's page: bundled, as the package serves it without a bundler. */
export function pageScript(): string {
  const { outputFiles } = buildSync({
    entryPoints: ['src/inspect/page/client/main.ts'],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
  });
  const text = (outputFiles[0]?.text ?? '').trim().replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--');
  return `// Made from client/ by \`npm run drawings\`: do not edit.
/** The script of the inspector's page. */
export const pageScript: string = ${JSON.stringify(text)};
`;
}
