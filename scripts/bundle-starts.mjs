// Puts the modules of the main entry point into few files: to find and to compile a hundred took most of the time that importing it takes.
// Those that the command line needs as well, before it knows what is asked of it, are in one of their own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { build } from 'esbuild';

const folder = 'dist/src';

const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', splitting: true, write: false, metafile: true };

/** What a module imports later is not of the start. */
const later = {
  name: 'later',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), external: true } : undefined,
    );
  },
};

/** Each module stays where it is, and says again what is in those files: there is one of everything, however it is imported. */
export async function bundleStarts() {
  const modules = await modulesOf('dist/src/index.js');
  const ofCommandLine = new Set(await modulesOf('dist/src/cli/main.js'));
  const made = mkdtempSync(join(folder, 'starts-'));
  try {
    const places = [];
    for (const [number, { module, exports }] of (await exportsOf(modules)).entries()) {
      if (exports.length > 0) places.push({ module, exports, number, file: ofCommandLine.has(module) ? 'first' : 'kernel' });
    }
    for (const file of ['first', 'kernel']) {
      const lines = places.flatMap((place) =>
        place.file === file
          ? [`export { ${listed(place, (name, numbered) => `${name} as ${numbered}`)} } from ${JSON.stringify(resolve(place.module))};`]
          : [],
      );
      writeFileSync(join(made, `${file}.js`), lines.join('\n'));
    }
    const entryPoints = ['first', 'kernel'].map((file) => join(made, `${file}.js`));
    await build({ ...options, entryPoints, outdir: folder, chunkNames: 'shared', write: true });
    for (const place of places) {
      const path = posix.relative(dirname(place.module), `${folder}/${place.file}.js`);
      const from = path.startsWith('.') ? path : `./${path}`;
      writeFileSync(place.module, `export { ${listed(place, (name, numbered) => `${numbered} as ${name}`)} } from '${from}';\n`);
    }
  } finally {
    rmSync(made, { recursive: true });
  }
}

const listed = ({ exports, number }, toText) => exports.map((name) => toText(name, `${name}_${number}`)).join(', ');

async function modulesOf(entry) {
  const { metafile } = await build({ ...options, entryPoints: [entry], outdir: folder, plugins: [later] });
  return Object.keys(metafile.inputs);
}

async function exportsOf(modules) {
  const { metafile } = await build({ ...options, entryPoints: modules, outdir: folder, plugins: [later] });
  return Object.values(metafile.outputs).flatMap(({ entryPoint, exports }) => (entryPoint ? [{ module: entryPoint, exports }] : []));
}
