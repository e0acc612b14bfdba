// Builds dist. npm runs it after `npm ci` in a clone and before `npm pack`; plain JavaScript, because npm itself may run on Node 20.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';

process.env.NODE_ENV = 'production'; // a test that packs has another one, with which the studio would get React's development build
const windows = process.platform === 'win32';
if (!existsSync('node_modules/typescript')) process.exit(0); // `npm ci --omit=dev`: there is nothing to build with
rmSync('dist', { recursive: true, force: true });
// types are checked by `npm run typecheck`: here it would take most of the time until the first answer in a fresh clone
execFileSync('tsc', ['-p', 'tsconfig.build.json', '--noCheck'], { stdio: 'inherit', shell: windows });
(await import('./deprecated-types.mjs')).writeDeprecatedTypes();
await (await import('./bundle-starts.mjs')).bundleStarts(); // imported here: `npm ci --omit=dev` has no esbuild
await (await import('./build-studio.mjs')).buildStudio();
await (await import('./build-page-script.mjs')).buildPageScript();
chmodSync('dist/src/cli/bin.js', 0o755); // tsc writes 644
// example documents of workflows, which the installed command line searches if none are given
for (const name of readdirSync('machines')) {
  const examples = `machines/${name}/examples`;
  if (!existsSync(examples)) continue;
  for (const file of readdirSync(examples)) {
    const isSource = file.endsWith('.md') && existsSync(`${examples}/${file.replace(/md$/, 'pdf')}`);
    if (/\.(?:json|md|pdf)$/.test(file) && !isSource) cpSync(`${examples}/${file}`, `dist/${examples}/${file}`);
  }
}
// what `agent-machines explain` says
for (const page of ['errors', 'lint']) cpSync(`docs/reference/${page}.md`, `dist/docs/reference/${page}.md`);
// what `agent-machines init` writes
cpSync('templates', 'dist/templates', { recursive: true });
// npm links the bins of dependencies, not the package's own: without this link `npx agent-machines` in a clone would install
// the folder into npx's cache and go on running that copy after the next build.
if (!windows && existsSync('node_modules/.bin')) {
  rmSync('node_modules/.bin/agent-machines', { force: true });
  symlinkSync('../../dist/src/cli/bin.js', 'node_modules/.bin/agent-machines');
}
// The package `node` brings 67 MB of headers for compiling add-ons, a seventh of all that is installed; nothing here compiles any.
const binaries = 'node_modules/node/node_modules';
if (existsSync(binaries)) {
  for (const name of readdirSync(binaries)) rmSync(`${binaries}/${name}/include`, { recursive: true, force: true });
}
