// The house plan as data: who may import whom, what is public, what may not be written.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import pkg from '../package.json' with { type: 'json' };
import { changesWhatIsShared } from './fixtures/changes-what-is-shared.ts';
import { effectReturns } from './fixtures/effect-returns.ts';
import { functionLengths } from './fixtures/function-lengths.ts';

/** Each folder of `src`, and what it may import: folders of `src`, single files, and packages. `node:` is an adapter's. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  ports: [],
  errors: ['ports', 'util/redact-secrets.ts', 'util/shorten.ts'],
  util: ['ports', 'errors'],
  files: ['node:'],
  schema: ['ports', 'errors', 'util', '#second-verdict', 'ajv/dist/core.js', 'ajv/dist/vocabularies/draft2020.js'],
  workflow: ['ports', 'errors', 'util', 'xstate'],
  runtime: ['ports', 'errors', 'util', 'workflow', 'xstate', 'stores/memory-store.ts', 'stores/store-errors.ts'],
  schedules: ['ports', 'errors', 'util', 'runtime', 'workflow', 'croner'],
  'tool-facts': ['ports', 'errors', 'util'],
  plan: ['ports', 'errors', 'util', 'schema', 'tool-facts'],
  executor: [
    'ports',
    'errors',
    'util',
    'schema',
    'type plan',
    'plan/step-reference.ts',
    'models/ask-model.ts',
    'models/assistant-message.ts',
    'models/no-usage.ts',
    'models/parse-json-reply.ts',
    'tool-facts',
  ],
  agents: ['ports', 'errors', 'util', 'schema', 'text', 'workflow', 'runtime'],
  mcp: ['ports', 'errors', 'util', 'schema', 'server/event-schemas.ts', 'type workflow', 'type runtime', '@modelcontextprotocol/sdk'],
  'mcp/node': ['ports', 'errors', 'util', 'files', 'mcp', '@modelcontextprotocol/sdk', 'node:'],
  models: ['ports', 'errors', 'util', 'schema', 'memory/fit-request.ts', 'lru-cache'],
  'models/openai': ['ports', 'errors', 'util', 'models', 'openai'],
  'models/openai-responses': ['ports', 'errors', 'util', 'models', 'models/openai', 'openai'],
  'models/ai-sdk': ['ports', 'errors', 'util', 'models', 'models/openai/openai-error.ts', 'models/openai/wire-names.ts'],
  'models/local': ['ports', 'errors', 'util', 'models/openai/openai-model.ts'],
  arithmetic: ['errors', 'util'],
  offline: ['ports', 'errors', 'util', 'text', 'arithmetic', 'models'],
  tools: ['ports', 'errors', 'util', 'schema', 'text', 'arithmetic', 'tool-facts'],
  'tools/node': ['ports', 'errors', 'util', 'files', 'schema/object-schema.ts', 'tools', 'node:'],
  'tools/python': ['ports', 'errors', 'util', 'zod', 'node:'],
  'tools/web': ['ports', 'errors', 'util', 'schema/object-schema.ts', 'tools', 'zod', 'undici', 'ipaddr.js', 'node:'],
  text: ['ports', 'errors', 'util'],
  memory: ['ports', 'errors', 'util', 'text', 'lru-cache'],
  documents: ['ports', 'errors', 'util', 'files', 'documents/docx', 'documents/pdf', 'node:'],
  'documents/docx': ['ports', 'errors', 'util', 'documents', 'mammoth', 'saxes', 'node:'],
  'documents/pdf': ['ports', 'errors', 'util', 'documents', 'unpdf', 'node:'],
  search: ['ports', 'errors', 'util', 'text', 'search/adapters/memory-index.ts'],
  'search/adapters': [
    'ports',
    'errors',
    'util',
    'text',
    'search',
    'sqlite',
    'files',
    '@opensearch-project/opensearch',
    'sqlite-vec',
    'node:',
  ],
  contracts: ['contracts/parse', 'contracts/compare', 'contracts/search'],
  'contracts/parse': ['ports', 'contracts'],
  'contracts/compare': ['errors', 'text', 'contracts'],
  'contracts/search': ['ports', 'errors', 'util', 'text', 'search', 'contracts'],
  citations: ['ports', 'text', 'contracts', 'contracts/parse', 'contracts/compare'],
  'contracts/node': ['util', 'documents', 'contracts', 'contracts/parse'],
  sqlite: ['ports', 'errors', 'util', 'files', 'node:'],
  postgres: ['ports', 'errors', 'util'],
  stores: ['ports', 'errors', 'util', 'sqlite', 'postgres', 'node:'],
  restate: ['ports', 'errors', 'util', 'runtime', 'stores'],
  inspect: ['ports', 'errors', 'util', 'workflow', 'runtime', 'replay', 'xstate'],
  protocols: ['ports', 'errors', 'util', 'workflow', 'runtime', 'hono', 'zod'],
  telemetry: ['ports', 'errors', 'util', 'inspect/censor.ts', '@opentelemetry/api'],
  testing: [
    'ports',
    'errors',
    'util',
    'workflow',
    'runtime',
    'executor',
    'stores/export-run.ts',
    'stores/import-run.ts',
    'stores/memory-store.ts',
    'stores/prune-runs.ts',
    'replay',
    'xstate',
  ],
  'inspect/page': [],
  'inspect/page/client': ['ports', 'workflow', 'inspect', 'type inspect/node'],
  studio: [
    'type workflow',
    'ports',
    'type api',
    'type contracts/compare',
    'client',
    'inspect',
    'util/as-object.ts',
    'util/is-object.ts',
    'util/pause.ts',
    'util/retry-after.ts',
    'util/system-clock.ts',
    'react',
    'react-dom/client',
    'react-markdown',
    'remark-breaks',
    'remark-gfm',
  ],
  'inspect/node': [
    'ports',
    'errors',
    'util',
    'workflow',
    'runtime',
    'stores/sqlite-store.ts',
    'inspect',
    'inspect/page',
    'xstate',
    'node:',
  ],
  api: ['ports', 'type runtime', 'type workflow', 'type inspect', 'type contracts/compare'],
  client: ['ports', 'api'],
  server: [
    'ports',
    'errors',
    'util',
    'workflow',
    'runtime',
    'inspect',
    'stores/remembered-by-runs.ts',
    'stores/memory-store.ts',
    'stores/store-errors.ts',
    'stores/assert-removable.ts',
    'replay',
    'schema/standard-json-schema.ts',
    'schema/json-schema-validator.ts',
    'api',
    'type contracts/compare',
    'hono',
    'zod',
  ],
  'server/node': ['ports', 'errors', 'util', 'contracts', 'contracts/node', 'type api', 'server', '@hono/node-server', 'node:'],
  replay: ['ports', 'errors', 'util', 'workflow', 'runtime'],
  'testing/fast-check': [
    'ports',
    'errors',
    'util',
    'schema',
    'workflow',
    'runtime',
    'plan',
    'tool-facts',
    'testing',
    'stores/memory-store.ts',
    'fast-check',
    'xstate',
  ],
  cli: [
    'files',
    'errors',
    'index.ts',
    'models',
    'models/openai',
    'models/openai-responses',
    'models/local',
    'tools',
    'tools/node',
    'tools/python',
    'tools/web',
    'memory',
    'text',
    'documents',
    'search',
    'search/adapters',
    'contracts',
    'contracts/node',
    'stores',
    'inspect',
    'inspect/node',
    'server',
    'server/node',
    'protocols',
    'mcp',
    'mcp/node',
    'telemetry',
    'util',
    '@opentelemetry/api',
    'agent-machines',
    'commander',
    'string-width',
    'zod',
    'node:',
  ],
  'cli/template/src': ['agent-machines', 'zod'],
  'cli/template/test': ['agent-machines', 'cli/template/src', 'fast-check', 'node:'],
  index: ['ports', 'errors', 'util', 'workflow', 'runtime', 'stores/memory-store.ts'],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules')) // of test/system
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith('test/.docs')); // what the tests of the documents write and remove meanwhile

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  for (const [, keyword = '', names = '', to = ''] of text.matchAll(
    /^(?:import|export)\s+(type\s+)?([\w*{][^'";]*?)\s*from\s+'([^']+)'/gm,
  )) {
    const inline =
      [...names.matchAll(/[\w*]+(?:\s+as\s+\w+)?/g)].length > 0 &&
      names
        .replace(/[{}\s]/g, '')
        .split(',')
        .filter(Boolean)
        .every((name) => /^type[A-Z]/.test(name));
    found.push({ from: file, to, typeOnly: keyword !== '' || inline });
  }
  for (const [, to = ''] of text.matchAll(/^import\s+'([^']+)'|import\('([^']+)'\)/gm))
    if (to) found.push({ from: file, to, typeOnly: false });
  for (const [, to = ''] of text.matchAll(/import\('([^']+)'\)/g)) found.push({ from: file, to, typeOnly: false });
  return found;
}

/** The folder of the table that a file of `src` belongs to. */
function folderOf(path: string): string {
  const inside = relative('src', path);
  const folder = dirname(inside);
  if (folder === '.') return inside.replace(/\.tsx?$/, '');
  return Object.hasOwn(mayImport, folder) ? folder : (folder.split('/')[0] ?? folder);
}

const isAllowed = ({ from, to, typeOnly }: Import): boolean => {
  const folder = folderOf(from);
  const allowed = mayImport[folder];
  if (!allowed) return false;
  if (!to.startsWith('.'))
    return allowed.some(
      (name) =>
        name === to ||
        (name === 'node:' && to.startsWith('node:')) ||
        (name === '@modelcontextprotocol/sdk' && to.startsWith(`${name}/`)) ||
        (name === 'agent-machines' && to.startsWith('agent-machines')),
    );
  const target = normalize(join(dirname(from), to));
  const targetFolder = folderOf(target);
  return (
    targetFolder === folder ||
    allowed.includes(targetFolder) ||
    allowed.includes(relative('src', target)) ||
    (typeOnly && allowed.includes(`type ${targetFolder}`))
  );
};

const source = files('src');
const machines = files('machines');

const maxFunctionLines = 80;
/** Of the lines of `src` and `machines`. */
const maxRoomPercent = 15;

describe('the house', () => {
  it('has only folders that its plan knows', () => {
    const unknown = source.map(folderOf).filter((folder) => !Object.hasOwn(mayImport, folder));
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('imports only downwards', () => {
    const wrong = source.flatMap(importsOf).filter((one) => !isAllowed(one));
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('has machines that import the package by its name, as a user does, and nothing of each other', () => {
    const allowed = (from: string, to: string): boolean =>
      /^agent-machines(\/(?!machines\/)|$)/.test(to) ||
      to === 'xstate' ||
      to === 'zod' ||
      to === 'zod/mini' ||
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

  it('lets only the two parsers mark a value as validated', () => {
    const users = [...source, ...machines].filter((file) => /\bmarkValidated\(/.test(readFileSync(file, 'utf8')));
    expect(users.sort()).toEqual(['src/plan/gate/parse-plan.ts', 'src/tools/define/parse-tool-call.ts']);
  });

  it('has no any, no silenced type error and no assertion against null', () => {
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

  it('has no function that is longer than a screen or two', () => {
    const long = [...source, ...machines].flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      if (text.split('\n').length <= maxFunctionLines) return []; // nor is any function in it
      return functionLengths(text, file.endsWith('x') ? 'tsx' : 'ts').flatMap(({ name, lines }) =>
        lines > maxFunctionLines ? [`${name} of ${file}`] : [],
      );
    });
    expect(long).toEqual([]);
  });

  it('would see a function that is longer', () => {
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
      files('src/studio').flatMap((file) => effectReturns(readFileSync(file, 'utf8')).map((effect) => `${effect} of ${file}`)),
    ).toEqual([]);
  });

  it('would see an effect that returns what the browser returns', () => {
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

  it('has no room that is a house of its own', () => {
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

  it('has helpers of tests that leave alone what test files share, for those are given a process together', () => {
    const helpers = files('test').filter((file) => !/\.test\.ts$|-process\.ts$/.test(file));
    expect(helpers.filter((file) => changesWhatIsShared.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('has tests that remove the folders that they make', () => {
    const handedOver = 'test/runtimes/pack.ts'; // to `test-runtimes.ts`, which does
    const makes = files('test').filter((file) => file !== handedOver && /\bmkdtemp(?:Sync)?\(/.test(readFileSync(file, 'utf8')));
    expect(makes.filter((file) => !/\brm(?:Sync)?\(/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('does in full by `npm run test:deep` what `npm test` does in part, and CI runs both', () => {
    const mechanism = ['test/fixtures/share.ts', 'test/fixtures/seed-properties.ts', 'test/house.test.ts'];
    const asks = /[/]share\.ts'|env\.MODE\b/;
    const asking = files('test').filter((file) => !mechanism.includes(file) && asks.test(readFileSync(file, 'utf8')));
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
    for (const door of Object.keys(pkg.exports).filter((name) => name !== './package.json')) {
      const module = (await import(door.replace('.', 'agent-machines'))) as object;
      names[door] = Object.keys(module).sort();
    }
    await expect(`${JSON.stringify(names, null, 2)}\n`).toMatchFileSnapshot('fixtures/public-names.json');
  });

  it('has a command line that loads no engine before a command asks for it', () => {
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
    const others = [...loaded].filter((name) => !/^src\/(?:cli|util)\/|^src\/errors\.ts$/.test(name));
    expect(others).toEqual(['commander']);
  });

  it('has a file for every export, and an export for every door', () => {
    for (const [door, target] of Object.entries(pkg.exports)) {
      if (typeof target === 'string') continue;
      const file = target['@agent-machines/source'];
      expect(readFileSync(file, 'utf8').length, door).toBeGreaterThan(0);
      expect(target.default).toBe(file.replace('./', './dist/').replace(/\.ts$/, '.js'));
      expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
    }
  });
});
