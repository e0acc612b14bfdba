// Puts the modules of the main entry point into few files: to find and to compile a hundred took most of the time that importing it takes.
// Those that the command line needs as well, before it knows what is asked of it, are in one of their own; so are its own modules.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
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

/** The command line's own modules, apart from all others: those are imported by browsers, too. */
const around = (modules, home) => ({
  name: 'around',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      const found = resolve(resolveDir, path);
      const isInside = kind === 'entry-point' || (kind === 'import-statement' && modules.has(found));
      return isInside ? undefined : { path: asImport(relative(home, found)), external: true };
    });
  },
});

/** Each module stays where it is, and says again what is in those files: there is one of everything, however it is imported. */
export async function bundleStarts() {
  const modules = await modulesOf('dist/src/index.js');
  const ofCommandLine = new Set(await modulesOf('dist/src/cli/main.js'));
  const places = [];
  for (const [number, { module, exports }] of (await exportsOf(modules)).entries()) {
    if (exports.length > 0)
      places.push({ module, exports, number, file: `${folder}/${ofCommandLine.has(module) ? 'first' : 'kernel'}.js` });
  }
  await bundleInto(places, { chunkNames: 'shared-[hash]' });
  const home = `${folder}/cli`;
  const own = [...ofCommandLine].filter((module) => module.startsWith(`${home}/`));
  const ownPlaces = (await exportsOf(own)).flatMap((place, number) =>
    place.exports.length > 0 ? [{ ...place, number, file: `${home}/start.js` }] : [],
  );
  // what is said again of those files is taken from there at once
  const entries = [...ofCommandLine].filter((module) => module.startsWith('dist/machines/')); // copied: browsers import them as well
  const inside = [...own, ...entries, ...places.map(({ module }) => module)].map((module) => resolve(module));
  await bundleInto(ownPlaces, { plugins: [around(new Set(inside), home)] });
}

/** Puts modules into the files that are named with them, and says in each of them where it is now. */
async function bundleInto(places, how) {
  const made = mkdtempSync(join(folder, 'starts-'));
  try {
    const files = [...new Set(places.map(({ file }) => file))];
    const entryPoints = files.map((file) => join(made, basename(file)));
    for (const [index, file] of files.entries()) {
      const lines = places.flatMap((place) =>
        place.file === file
          ? [`export { ${listed(place, (name, numbered) => `${name} as ${numbered}`)} } from ${JSON.stringify(resolve(place.module))};`]
          : [],
      );
      writeFileSync(entryPoints[index], lines.join('\n'));
    }
    await build({ ...options, ...how, entryPoints, outdir: dirname(files[0]), write: true });
    for (const { module, file, ...place } of places) {
      const from = asImport(relative(dirname(module), file));
      writeFileSync(module, `export { ${listed(place, (name, numbered) => `${numbered} as ${name}`)} } from '${from}';\n`);
    }
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** A path as a module says it, on Windows, too. */
const asImport = (path) => `${path.startsWith('.') ? '' : './'}${path.replaceAll('\\', '/')}`;

const listed = ({ exports, number }, toText) => exports.map((name) => toText(name, `${name}_${number}`)).join(', ');

async function modulesOf(entry) {
  const { metafile } = await build({ ...options, entryPoints: [entry], outdir: folder, plugins: [later] });
  return Object.keys(metafile.inputs);
}

async function exportsOf(modules) {
  const { metafile } = await build({ ...options, entryPoints: modules, outdir: folder, plugins: [later] });
  return Object.values(metafile.outputs).flatMap(({ entryPoint, exports }) => (entryPoint ? [{ module: entryPoint, exports }] : []));
}
