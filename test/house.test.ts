// The house plan as data: who may import whom, what is public, what may not be written.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import pkg from '../package.json' with { type: 'json' };
import { doors } from '../scripts/doors.ts';
import { englishFigures, englishSources } from '../scripts/english.ts';
import { type Import, importsOf, roomArrows, roomFloors, sourceFiles, targetOf } from '../scripts/rooms.ts';
import { changesWhatIsShared } from './fixtures/changes-what-is-shared.ts';
import { effectReturns } from './fixtures/effect-returns.ts';
import { functionLengths } from './fixtures/function-lengths.ts';

/**
 * Each room of `src`, and what it may import: rooms and packages. A file belongs to the longest folder with a row. A sub-room has a row
 * only where it imports `node:` or a package that its room must not load. `type` permits types only.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  'core/schema': ['core', '#second-verdict', 'ajv/dist/core.js', 'ajv/dist/vocabularies/draft2020.js'],
  'core/node': ['core', 'node:'],
  engine: ['core', 'xstate', 'engine/schedules'],
  'engine/schedules': ['core', 'engine', 'croner'],
  models: ['core', 'core/schema', 'lru-cache', 'openai'],
  tools: ['core', 'core/schema'],
  'tools/mcp': ['core', 'core/schema', 'core/node', '@modelcontextprotocol/sdk', 'node:'],
  'tools/node': ['core', 'core/schema', 'core/node', 'tools', 'tools/web', 'node:'],
  'tools/python': ['core', 'zod', 'node:'],
  'tools/web': ['core', 'core/schema', 'tools', 'zod', 'undici', 'ipaddr.js', 'node:'],
  plan: ['core', 'core/schema'],
  search: ['core', 'search/indexes'],
  'search/indexes': ['core', 'core/node', 'search', '@opensearch-project/opensearch', 'sqlite-vec', 'node:'],
  'search/documents': ['core', 'core/node', 'mammoth', 'saxes', 'unpdf', 'node:'],
  agents: ['core', 'core/schema', 'engine', 'models', 'plan', 'tools', 'lru-cache'],
  contracts: ['core', 'search'],
  'contracts/node': ['core', 'search/documents', 'contracts'],
  stores: ['core', 'engine', 'stores/rows'],
  'stores/sqlite': ['core', 'core/node', 'engine', 'stores', 'stores/rows', 'node:'],
  'stores/rows': ['core', 'engine', 'node:'],
  inspect: ['core', 'engine', 'xstate'],
  'inspect/telemetry': ['core', 'inspect', '@opentelemetry/api'],
  server: ['core', 'core/schema', 'engine', 'engine/schedules', 'inspect', 'type contracts', 'hono', 'zod'],
  'server/mcp': ['core', 'core/schema', 'engine', 'tools/mcp', 'server', '@modelcontextprotocol/sdk', 'node:'],
  'server/node': ['core', 'contracts', 'contracts/node', 'server', '@hono/node-server', 'node:'],
  testing: ['core', 'core/schema', 'engine', 'stores', 'xstate'],
  'testing/fast-check': ['core', 'core/schema', 'engine', 'plan', 'testing', 'fast-check', 'xstate'],
  studio: [
    'core',
    'inspect',
    'server',
    'type engine',
    'contracts',
    'react',
    'react-dom/client',
    'react-markdown',
    'remark-breaks',
    'remark-gfm',
  ],
  'studio/inspector': ['core', 'engine', 'stores/sqlite', 'inspect', 'xstate', 'ws', 'node:'],
  index: ['core', 'engine'],
  cli: ['anything'],
};

/** Sub-rooms that point one way, the lowest first: a file imports from its own place and from those before it. */
const subRooms: readonly (readonly string[])[] = [
  ['core/ports', 'core/errors', 'core/util', 'core/text', 'core/arithmetic', 'core/schema', 'core/tool-facts', 'core/node'],
  ['engine/define', 'engine/store', 'engine/drive', 'engine/journal', 'engine/run', 'engine/schedules', 'engine/workers', 'engine/replay'],
  ['search/rank', 'search/indexes'],
  ['server/api', 'server/client'],
  ['server/api', 'server/http', 'server/routes'],
  ['stores/upkeep', 'stores/rows', 'stores/sqlite'],
];

/** Returns the row of the table that a file of `src` belongs to. */
function rowOf(path: string): string {
  const inside = relative('src', path);
  let folder = dirname(inside);
  if (folder === '.') return inside.replace(/\.tsx?$/, '');
  while (!Object.hasOwn(mayImport, folder) && folder.includes('/')) folder = dirname(folder);
  return folder;
}

const isAllowed = (one: Import): boolean => {
  const { from, to, typeOnly } = one;
  if (from.startsWith('src/cli/')) return true;
  const row = rowOf(from);
  const allowed = mayImport[row];
  if (!allowed) return false;
  if (!to.startsWith('.'))
    return allowed.some(
      (name) =>
        name === to || (name === 'node:' && to.startsWith('node:')) || (name === '@modelcontextprotocol/sdk' && to.startsWith(`${name}/`)),
    );
  const targetRow = rowOf(targetOf(one) ?? '');
  return targetRow === row || allowed.includes(targetRow) || (typeOnly && allowed.includes(`type ${targetRow}`));
};

const source = sourceFiles('src');
const machines = sourceFiles('machines');

const maxFunctionLines = 80;
/** May only fall: imports of `src` by tests, `offline` and `text` excepted, which become internal. */
const maxInternalImports = 212;
/** Of the lines of `src` and `machines`. */
const maxRoomPercent = 15;

describe('the house', () => {
  it('has a row for the room of every file', () => {
    const unknown = source.map(rowOf).filter((row) => !Object.hasOwn(mayImport, row));
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('names rooms, not files, in its table', () => {
    expect(Object.keys(mayImport).length).toBeLessThanOrEqual(32);
    expect(Object.entries(mayImport).flatMap(([row, allowed]) => [row, ...allowed].filter((name) => /\.tsx?$/.test(name)))).toEqual([]);
  });

  it('imports only downwards', () => {
    const wrong = source.flatMap(importsOf).filter((one) => !isAllowed(one));
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('has at most 56 arrows between rooms, on at most 6 floors, and no cycle', () => {
    const arrows = roomArrows();
    expect(arrows.length).toBeLessThanOrEqual(56);
    expect(roomFloors(arrows).length).toBeLessThanOrEqual(6);
    expect(() => roomFloors([...arrows, { from: 'core', to: 'cli' }])).toThrow('import each other');
  });

  it('has sub-rooms that point one way', () => {
    const placeOf = (order: readonly string[], file: string): number => order.findIndex((place) => file.startsWith(`src/${place}/`));
    const wrong = source.flatMap(importsOf).filter((one) => {
      const target = targetOf(one);
      return subRooms.some(
        (order) => target !== undefined && placeOf(order, one.from) >= 0 && placeOf(order, target) > placeOf(order, one.from),
      );
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('has machines that import the package by its name and never one another', () => {
    const registry = /^machines\/[\w-]+\.ts$/;
    const allowed = (from: string, to: string): boolean =>
      /^agent-machines(\/(?!machines\/)|$)/.test(to) ||
      to === 'xstate' ||
      to === 'zod' ||
      to === 'zod/mini' ||
      registry.test(from) ||
      (to.startsWith('.') && normalize(join(dirname(from), to)).startsWith(`machines/${from.split('/')[1]}/`));
    const wrong = machines.flatMap(importsOf).filter(({ from, to }) => !allowed(from, to));
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('has no import cycle', () => {
    const next = new Map<string, string[]>();
    for (const { from, to, typeOnly } of [...source, ...machines].flatMap(importsOf)) {
      if (to.startsWith('.') && !typeOnly) next.set(from, [...(next.get(from) ?? []), normalize(join(dirname(from), to))]);
    }
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      else if (!done.has(file)) {
        for (const target of next.get(file) ?? []) visit(target, [...path, file]);
        done.add(file);
      }
    };
    for (const file of next.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('lets only the two checks mark a value as validated', () => {
    const users = [...source, ...machines].filter((file) => /\bmarkValidated\(/.test(readFileSync(file, 'utf8')));
    expect(users.sort()).toEqual(['src/core/tool-facts/validate-call.ts', 'src/plan/gate/parse-plan.ts']);
  });

  it('has no any, no silenced type error and no non-null assertion', () => {
    const wrong = [...source, ...machines].flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /(:|\bas|<)\s*any\b|@ts-(ignore|expect-error|nocheck)|[\w\])]!(?=[.;,)\]])/.test(line.replace(/\/\/.*|'[^']*'|`[^`]*`/g, ''))
            ? [`${file}:${index + 1}`]
            : [],
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('has no function above the line limit', () => {
    const long = [...source, ...machines].flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      if (text.split('\n').length <= maxFunctionLines) return []; // nor is any function in it
      return functionLengths(text, file.endsWith('x') ? 'tsx' : 'ts').flatMap(({ name, lines }) =>
        lines > maxFunctionLines ? [`${name} of ${file}`] : [],
      );
    });
    expect(long).toEqual([]);
  });

  it('detects a longer function', () => {
    const body = 'work();\n'.repeat(maxFunctionLines - 1);
    for (const text of [
      `function long() {\n${body}}`,
      `const long = <T>(value?: T): void => {\n${body}};`,
      `class Made { #long = 1; long(): void {\n${body}} }`,
      `const made = { async long() {\n${body}} };`,
    ]) {
      expect(functionLengths(text)).toEqual([{ name: 'long', lines: maxFunctionLines + 1 }]);
    }
  });

  it('has effects on its page that return a function or nothing', () => {
    expect(
      sourceFiles('src/studio').flatMap((file) => effectReturns(readFileSync(file, 'utf8')).map((effect) => `${effect} of ${file}`)),
    ).toEqual([]);
  });

  it('detects an effect that returns the result of a browser call', () => {
    const wrong = [
      'useEffect(() => place.current?.scrollIntoView(), []);',
      'React.useLayoutEffect(() => { if (open) return dialog.showModal(); }, [open]);',
      'useEffect(async () => {}, []);',
      'useEffect(function () { return 1; });',
      'useInsertionEffect(callback);',
    ];
    const right = [
      'useEffect(() => () => stop());',
      'useEffect(() => { if (!on) return undefined; const id = ids.map((one) => one.id); return () => stop(id); }, [on]);',
      'useEffect(() => { if (!on) return; void start(); }, [on]);',
    ];
    expect([...wrong, ...right].filter((text) => effectReturns(text).length > 0)).toEqual(wrong);
  });

  it('keeps the comments of the sources plain', () => {
    const { isPlain, lines } = englishFigures(englishSources());
    expect(isPlain ? [] : lines).toEqual([]);
  });

  it('counts relative clauses and pronouns in comments, not in strings', () => {
    const text = [
      '/** Returns the row. */',
      '/** What a row is. */',
      "const address = 'https://example.com'; // the row that nobody reads",
      "const quoted = '// nobody';",
    ].join('\n');
    const figures = englishFigures(new Map([['made.ts', text]]));
    expect(figures).toMatchObject({ isPlain: false, openingPercent: 50 });
    expect(figures.lines).toEqual(['made.ts:2: What a row is.', 'made.ts:3: the row that nobody reads']);
  });

  it('has no room above its share of the lines', () => {
    const lines = new Map<string, number>();
    for (const file of [...source, ...machines]) {
      const room = relative('.', file).split('/').slice(0, 2).join('/');
      lines.set(room, (lines.get(room) ?? 0) + readFileSync(file, 'utf8').split('\n').length);
    }
    const all = [...lines.values()].reduce((sum, each) => sum + each, 0);
    const shares = [...lines].map(([room, each]) => ({ room, percent: Math.round((1_000 * each) / all) / 10 }));
    expect(shares.filter(({ percent }) => percent > maxRoomPercent)).toEqual([]);
  });

  it('has at most 12 casts that the compiler cannot check, each with its reason on the line or above it', () => {
    const casts = [...source, ...machines].flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n');
      return lines.flatMap((line, index) => {
        const code = line.replace(/\/\/.*|'[^']*'|`[^`]*`/g, '');
        if (!/\bas (unknown as|never)\b/.test(code) || /^\s*\*/.test(line)) return [];
        const reasoned = /\/\/ \S/.test(line) || /^\s*\/\/ \S|\*\/\s*$/.test(lines[index - 1] ?? '');
        return [{ place: `${file}:${index + 1}`, reasoned }];
      });
    });
    expect(casts.filter(({ reasoned }) => !reasoned)).toEqual([]);
    expect(casts.length).toBeLessThanOrEqual(12);
  });

  it('runs test files that change shared state in their own process', () => {
    const helpers = sourceFiles('test').filter((file) => !/\.test\.ts$|-process\.ts$/.test(file));
    expect(helpers.filter((file) => changesWhatIsShared.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('has tests that prefer public entries', () => {
    const internal = sourceFiles('test')
      .flatMap(importsOf)
      .filter((one) => one.to.startsWith('.') && /^src\/(?!models\/offline\/|core\/text\/)/.test(targetOf(one) ?? ''));
    expect(internal.length).toBeLessThanOrEqual(maxInternalImports);
  });

  it('has tests that remove their folders', () => {
    const handedOver = 'test/runtimes/pack.ts'; // to `test-runtimes.ts`, which does
    const makes = sourceFiles('test').filter((file) => file !== handedOver && /\bmkdtemp(?:Sync)?\(/.test(readFileSync(file, 'utf8')));
    expect(makes.filter((file) => !/\brm(?:Sync)?\(/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('runs in full by `npm run test:deep` what `npm test` runs in part, and CI runs both', () => {
    const mechanism = ['test/fixtures/share.ts', 'test/fixtures/seed-properties.ts', 'test/house.test.ts'];
    const asks = /[/]share\.ts'|env\.MODE\b/;
    const asking = sourceFiles('test').filter((file) => !mechanism.includes(file) && asks.test(readFileSync(file, 'utf8')));
    expect(asking).toContain('test/property/machines.test.ts');
    // the deep mode finds test files by this import: a helper, and a test of the system, would do a part only
    const found = (file: string): boolean =>
      /^test\/(?!system\/).*\.test\.ts$/.test(file) && !/env\.MODE\b/.test(readFileSync(file, 'utf8'));
    expect(asking.filter((file) => !found(file))).toEqual([]);
    expect(pkg.scripts['test:deep']).toBe('vitest run --mode deep');
    expect(readFileSync('.ci/run', 'utf8')).toMatch(/^npm test$[\s\S]*^SEED=1 npm run test:deep$/m);
  });

  it('has exactly these public names', async () => {
    const names: Record<string, string[]> = {};
    for (const door of Object.keys(doors)) {
      const module = (await import(door.replace('.', 'agent-machines'))) as object;
      names[door] = Object.keys(module).sort();
    }
    await expect(`${JSON.stringify(names, null, 2)}\n`).toMatchFileSnapshot('fixtures/public-names.json');
  });

  it('has a command line that loads the engine on demand', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const text = readFileSync(file, 'utf8');
      for (const { to, typeOnly } of importsOf(file)) {
        if (typeOnly || text.includes(`import('${to}')`)) continue;
        if (to.startsWith('.')) load(normalize(join(dirname(file), to)));
        else if (!to.startsWith('node:')) loaded.add(to);
      }
    };
    load('src/cli/main.ts');
    const others = [...loaded].filter(
      (name) => !/^src\/(?:cli|core\/(?:errors|util))\/|^machines\/(?:index|[\w-]+\/entry)\.ts$/.test(name),
    );
    expect(others).toEqual(['commander']);
  });

  it('has a file for every export, and an export for every entry point', () => {
    for (const [door, target] of Object.entries(doors)) {
      const file = target['@agent-machines/source'];
      expect(readFileSync(file, 'utf8').length, door).toBeGreaterThan(0);
      expect(target.default).toBe(file.replace('./', './dist/').replace(/\.ts$/, '.js'));
      expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
    }
  });
});
