// The entry points of the last minor version: each is checked against its replacement, in the built package.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import pkg from '../package.json' with { type: 'json' };
import { deprecatedEntries } from '../scripts/deprecated-types.mjs';
import { doors } from '../scripts/doors.ts';

const entries = deprecatedEntries();
const nameOf = (path: string): string => path.replace('.', 'agent-machines');
const namesIn = (types: string): readonly string[] =>
  [...readFileSync(types, 'utf8').matchAll(/^ {2}((?:type )?\w+),$/gm)].map(([, name = '']) => name);

describe('a deprecated entry point', () => {
  it('is in the table if package.json has it without a source', () => {
    const inPackage = Object.entries(pkg.exports).flatMap(([path, door]) =>
      typeof door === 'string' || '@agent-machines/source' in door ? [] : [path],
    );
    expect(inPackage.sort()).toEqual(Object.keys(JSON.parse(readFileSync('scripts/deprecated-paths.json', 'utf8'))).sort());
    expect(entries.filter(({ now }) => !Object.hasOwn(doors, now))).toEqual([]);
  });

  it('exports the same objects as its replacement', () => {
    const program = `const names = {};
      for (const { path, now } of ${JSON.stringify(entries.map(({ path, now }) => ({ path: nameOf(path), now: nameOf(now) })))}) {
        const [old, current] = [await import(path), await import(now)];
        names[path] = Object.keys(old).filter((name) => !(name in current) || old[name] !== current[name]);
        if (Object.keys(old).length === 0) names[path].push('nothing');
      }
      console.log(JSON.stringify(names));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual(Object.fromEntries(entries.map(({ path }) => [nameOf(path), []])));
  });

  it('has all of its names and types at its replacement, and names it in each', () => {
    const folder = mkdtempSync('test/.docs-deprecated-');
    try {
      const lines = entries.flatMap(({ now, types }, number) =>
        namesIn(types).map((name) => `export { ${name.replace(/\w+$/, (word) => `${word} as ${word}_${number}`)} } from '${nameOf(now)}';`),
      );
      expect(lines.length).toBeGreaterThan(300);
      writeFileSync(join(folder, 'all.ts'), lines.join('\n'));
      const config = { extends: resolve('tsconfig.json'), compilerOptions: { customConditions: [] }, include: ['all.ts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      execFileSync('node_modules/.bin/tsc', ['-p', folder], { encoding: 'utf8' });
    } finally {
      rmSync(folder, { recursive: true });
    }
    for (const { now, types } of entries) {
      const notes = readFileSync(types, 'utf8').split(`@deprecated Import from '${nameOf(now)}'`).length - 1;
      expect([types, notes]).toEqual([types, namesIn(types).length]);
    }
  });
});
