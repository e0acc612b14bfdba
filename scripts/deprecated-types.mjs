// Writes the types of the deprecated entry points: each name carries `@deprecated` with its new path.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Each deprecated entry point with its replacement. A `*` stands for the folders of `machines` that have the file. */
const moved = JSON.parse(readFileSync('scripts/deprecated-paths.json', 'utf8'));
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Returns the deprecated entry points, with their replacements and files. */
export const deprecatedEntries = () =>
  Object.entries(moved).flatMap(([path, now]) =>
    (path.includes('*') ? readdirSync('machines') : ['']).flatMap((machine) => {
      const here = (text) => text.replaceAll('*', machine);
      const entry = { path: here(path), now: here(now), types: here(exports[path].types), module: here(exports[path].default) };
      return existsSync(entry.module) ? [entry] : [];
    }),
  );

/** Returns the exports of a declaration file, types as `type Name`. */
function exportsOf(file) {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const found = [];
  for (const [, type, from] of text.matchAll(/^export (type )?\* from '([^']+)'/gm)) {
    const inner = exportsOf(join(dirname(file), from.replace(/\.[jt]s$/, '.d.ts')));
    found.push(...inner.map((name) => (type && !name.startsWith('type ') ? `type ${name}` : name)));
  }
  for (const [, type, list] of text.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const part of list.split(',').filter((each) => each.trim() !== '')) {
      const isType = type !== undefined || /^\s*type\s/.test(part);
      const name = part.trim().split(/\s+/).at(-1);
      found.push(isType ? `type ${name}` : name);
    }
  }
  for (const [, kind, name] of text.matchAll(/^export (?:declare )?(?:abstract )?(const|function|class|interface|type)\s+(\w+)/gm)) {
    found.push(kind === 'interface' || kind === 'type' ? `type ${name}` : name);
  }
  return [...new Set(found)].sort();
}

export function writeDeprecatedTypes() {
  for (const { path, now, types, module } of deprecatedEntries()) {
    const note = `/** @deprecated Import from 'agent-machines${now.slice(1)}' instead of 'agent-machines${path.slice(1)}'. */`;
    const lines = exportsOf(module.replace(/\.js$/, '.d.ts')).map((name) => `  ${note}\n  ${name},\n`);
    mkdirSync(dirname(types), { recursive: true });
    const from = relative(dirname(types), module).replaceAll('\\', '/');
    writeFileSync(types, `export {\n${lines.join('')}} from '${from}';\n`);
  }
}
