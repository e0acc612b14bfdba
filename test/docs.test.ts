// What the documents promise: their programs run, and their lists are whole.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCodes } from 'agent-machines';
import { entries } from 'agent-machines/machines';
import { httpErrorCodes } from 'agent-machines/server';
import { afterAll, describe, expect, it } from 'vitest';
import packageFile from '../package.json' with { type: 'json' };
import { allProgramsOf, pages, programsOf } from './fixtures/pages.ts';

const execute = promisify(execFile);
/** Inside the repository, so that the programs find the package by its own name. */
const folder = 'test/.docs';
mkdirSync(folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

async function run(page: string, index: number): Promise<string> {
  const file = join(folder, `${page.replaceAll(/\W/g, '-')}-${index}.ts`);
  writeFileSync(file, (programsOf(page)[index] ?? '').replaceAll("path: 'agents.db'", "path: ':memory:'"));
  const { stdout } = await execute(process.execPath, ['--conditions=@agent-machines/source', file]);
  return stdout;
}

describe('the programs of the documents', () => {
  it('README: writes a machine in about 20 lines, and prints the documented output', async () => {
    const [program = ''] = programsOf('README.md');
    expect(program.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(21);
    const printed = await run('README.md', 0);
    const page = readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ');
    const [accepts = '', ...result] = printed.trim().split('\n');
    expect(page).toContain(`It runs offline and prints \`${accepts}\`, then \`${result.join(' ').replaceAll(/\s+/g, ' ')}\``);
    expect(printed).toContain("status: 'done'");
  });

  it.each(['approval-page', 'debugging', 'coming-from', 'cost'])('%s.md has less than 1,200 words', (name) => {
    expect(readFileSync(`docs/guides/${name}.md`, 'utf8').split(/\s+/).length).toBeLessThan(1_200);
  });

  it('cost.md: adds up what a run has cost', async () => {
    expect(await run('docs/guides/cost.md', 0)).toBe('0.0003\n');
  });

  it('start.md: the workflow waits for its review', async () => {
    expect(await run('docs/start.md', 0)).toBe('waiting\n');
  });

  it('start.md: the inner workflow asks through the outer one', async () => {
    expect(await run('docs/start.md', 2)).toBe(
      "consent#1/ask#1 Order a chair?\n{ status: 'done', finalState: 'ordered', output: 'a chair: true' }\n",
    );
  });

  it('plans-and-tools.md: executes the plan', async () => {
    expect(await run('docs/guides/plans-and-tools.md', 2)).toBe("{ expression: '6*7', result: 42 }\n");
  });

  it('machines.md: both forms of a machine have the same graph', async () => {
    expect(await run('docs/guides/machines.md', 1)).toBe('true\n');
  });

  it('machines.md: a branching machine of three nodes has at most 14 lines, as Biome formats it', async () => {
    const [program = ''] = programsOf('docs/guides/machines.md');
    const formatting = execute('node_modules/.bin/biome', ['format', '--stdin-file-path=docs/triage.ts']);
    formatting.child.stdin?.end(program);
    expect((await formatting).stdout.trim()).toBe(program.trim());
    const [machine = ''] = /^const machine = [\s\S]*?^}\);$/m.exec(program) ?? [];
    expect(machine.match(/node: /g)).toHaveLength(3);
    expect(machine.match(/guard: /g)).toHaveLength(1);
    expect(machine.split('\n').length).toBeLessThanOrEqual(14);
    expect(await run('docs/guides/machines.md', 0)).toBe('A human comes.\nYou wrote: hello\n');
  });

  it('guards.md: the model reads no personal data and no password', async () => {
    expect(await run('docs/guides/guards.md', 0)).toBe('I wrote to kim@example.com.\nWrite to <EMAIL_1>. My password: [secret]\n');
  });

  it('human-in-the-loop.md: an edited plan waits again', async () => {
    expect(await run('docs/guides/human-in-the-loop.md', 0)).toContain(
      "{ revision: 2, sub_tasks: [ '회의록 정리', '정기 보고서' ], notice: null }",
    );
  });
});

describe('commands and programs of the documents', () => {
  const brought = new Set(['agent-machines', ...Object.keys(packageFile.dependencies)]);
  const nameOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

  it('name every package to install that a program needs and the package does not bring', () => {
    const untold = pages.flatMap((page) => {
      const needed = new Set(
        allProgramsOf(page).flatMap((code) =>
          [...code.matchAll(/ from '([^'.][^']*)'|import\('([^'.][^']*)'\)/g)].map(([, a, b]) => nameOf(a ?? b ?? '')),
        ),
      );
      const told = [...readFileSync(page, 'utf8').matchAll(/npm (?:install|i)\b([^\n`]*)/g)].flatMap(([, names = '']) =>
        names.trim().split(/\s+/),
      );
      return [...needed]
        .filter((name) => !/^(?:node|bun):/.test(name) && !brought.has(name) && !told.includes(name))
        .map((name) => `${page}: ${name}`);
    });
    expect(untold).toEqual([]);
  });

  it('find every command of a package that is installed in a project', () => {
    const lost = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].flatMap(([, lines = '']) =>
        lines.split('\n').filter((line) => /^(?:\w+=\S+ )*agent-machines /.test(line)),
      ),
    );
    expect(lost).toEqual([]);
  });

  it('start only workflows with existing ids', async () => {
    const ids = new Set((await Promise.all(entries.map(async ({ load }) => (await load()).draft()))).map(({ id }) => id));
    const started = pages.flatMap((page) =>
      allProgramsOf(page).flatMap((code) => [...code.matchAll(/\.start\('([^']+)'/g)].map(([, id = '']) => id)),
    );
    expect(started.length).toBeGreaterThan(0);
    expect(started.filter((id) => !ids.has(id))).toEqual([]);
  });
});

const rooms = ['src', 'test', 'docs', 'machines', 'scripts', 'benchmarks'];
/** Every file of the repository that somebody may speak of, and the folders that they are in. */
const there = new Set(
  rooms.flatMap((room) => [
    room,
    ...readdirSync(room, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
      name.startsWith('.docs') || /(?:^|[\\/])node_modules[\\/]/.test(name) ? [] : [join(room, name)],
    ),
  ]),
);
const endings = new Set(
  [...there, ...readdirSync('.')].flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(at).join('/'))),
);

/** The files that texts speak of and nobody has: paths from a room on, and names of code. `docs/` in a comment is mostly an example's. */
const missingIn = (file: string, texts: readonly string[]): readonly string[] =>
  texts
    .map((text) => text.replaceAll(/^```[\s\S]*?^```/gm, ''))
    .flatMap((text) => [
      ...text.matchAll(/(?<=`|: see )((?:src|test|machines|scripts|benchmarks)\/[\w./-]*\w|[\w./-]+\.(?:ts|mjs))(?=\/?[`\s.])/g),
      ...(file.endsWith('.md') ? text.matchAll(/`(docs\/[\w./-]*\w)\/?`/g) : []),
    ])
    .flatMap(([, path = '']) => (endings.has(path) ? [] : [`${file}: ${path}`]));

describe('the documents', () => {
  it('explain every error code, in English and in Korean', () => {
    for (const file of ['docs/reference/errors.md', 'docs/ko/reference/errors.md']) {
      const page = readFileSync(file, 'utf8');
      expect(errorCodes.filter((code) => !page.includes(`\`${code}\``)).map((code) => `${file}: ${code}`)).toEqual([]);
    }
  });

  it('explain every lint code', () => {
    const page = readFileSync('docs/reference/lint.md', 'utf8');
    const codes = [...readFileSync('src/engine/define/lint-issue.ts', 'utf8').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(
      ([, code]) => code ?? '',
    );
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it('name files that exist', () => {
    const missing = pages.flatMap((page) => (page === 'CHANGELOG.md' ? [] : missingIn(page, [readFileSync(page, 'utf8')])));
    expect(missing).toEqual([]);
  });

  it('name only existing files in comments', () => {
    const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
    const missing = [...there].flatMap((file) =>
      /\.(ts|mjs)$/.test(file)
        ? missingIn(
            file,
            [...readFileSync(file, 'utf8').matchAll(comments)].map(([comment]) => comment),
          )
        : [],
    );
    expect(missing).toEqual([]);
  });

  it('have a table of contents of the tests', () => {
    const page = readFileSync('test/README.md', 'utf8');
    const named = new Set(
      [...page.matchAll(/`([a-z-]+\/(?:[a-z-]+(?:\.deep)?\.test\.ts)?|[a-z-]+(?:\.deep)?\.test\.ts)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !name.startsWith('cli/') || name === 'cli/'),
    );
    const there = [
      ...readdirSync('test', { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() && !entry.name.startsWith('.') ? [`${entry.name}/`] : entry.name.endsWith('.test.ts') ? [entry.name] : [],
      ),
      ...['property', 'contract', 'system'].flatMap((folder) =>
        readdirSync(join('test', folder)).flatMap((name) => (name.endsWith('.test.ts') ? [`${folder}/${name}`] : [])),
      ),
    ];
    expect([...named].sort()).toEqual(there.sort());
  });

  describe('the glossary', () => {
    const rows = readFileSync('docs/glossary.md', 'utf8')
      .split('\n')
      .filter((line) => /^\| (?!word )[a-z]/.test(line))
      .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| ?| ?\|$/g, '').trim()));
    const sources = filesOf('src', '.ts').map((file) => readFileSync(file, 'utf8'));
    const declaring = (name: string): string[] =>
      sources.filter((text) => new RegExp(`export (?:async )?(?:const|function|class|interface|type) ${name}\\b`).test(text));

    it('has words that are an export, a field or a file', () => {
      const missing = rows.flatMap(([word = '', code = '']) =>
        [...code.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => {
          const [owner = '', field] = name.split('.');
          const isThere = /[/.](?:ts|json)$|\/|\.json$/.test(name)
            ? existsSync(name)
            : declaring(owner).some((text) => field === undefined || new RegExp(`\\b${field}\\b`).test(text));
          return isThere ? [] : [`${word}: ${name}`];
        }),
      );
      expect(rows.length).toBeGreaterThan(30);
      expect(missing).toEqual([]);
    });

    it('uses one word for each thing, on every page', () => {
      const others = rows.flatMap(([, , , not = '']) => not.split(', ').filter(Boolean));
      expect(others.length).toBeGreaterThan(5);
      const texts = [
        ...pages.filter((page) => !/glossary|decisions|CHANGELOG/.test(page)),
        ...filesOf('src', '.ts'),
        ...filesOf('machines', '.ts'),
      ];
      const said = texts.flatMap((file) => {
        const text = readFileSync(file, 'utf8');
        return others.flatMap((other) => (new RegExp(`\\b${other}\\b`, 'i').test(text) ? [`${file}: ${other}`] : []));
      });
      expect(said).toEqual([]);
    });
  });

  it('lead to existing pages', () => {
    const broken = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)].flatMap(([, target = '']) =>
        existsSync(join(dirname(page), target)) ? [] : [`${page}: ${target}`],
      ),
    );
    expect(broken).toEqual([]);
  });

  it('name only existing error codes', () => {
    const known = new Set<string>([...errorCodes, ...httpErrorCodes]);
    const others =
      /^(APPROVE|REVISE|REJECT|EDIT|CANCEL|GO|SAY|STOP|NO_COLOR|UNKNOWN|AGENT_MACHINES_(?:(?:METRICS_)?TOKEN|KEY)|PAGE_SECRET|[A-Z]+_API_KEY|OPENAI_[A-Z_]+|OTEL_[A-Z_]+|GOOGLE_CSE_ID|FINAL_ANSWER_PROMPT|GENERAL_CONVERSATION_PROMPT)$/;
    const lint = new Set(
      [...readFileSync('src/engine/define/lint-issue.ts', 'utf8').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code]) => code),
    );
    const reasons = [...readFileSync('src/core/ports/promise-report.ts', 'utf8').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(
      ([, code = '']) => code,
    );
    const ofToday = pages.filter((page) => page !== 'CHANGELOG.md');
    const unknown = ofToday.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/`([A-Z][A-Z]+(?:_[A-Z]+)+)`/g)].flatMap(([, code = '']) =>
        known.has(code) || lint.has(code) || reasons.includes(code) || others.test(code) ? [] : [`${page}: ${code}`],
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('are not referenced by the package, which is installed without them', () => {
    const places = /\b(?:docs|test|scripts|benchmarks|machines\/[a-z-]+)\/[\w./-]+\.(?:md|ts|json)|\bnpm run \w/;
    const texts = ['src', 'machines']
      .flatMap((folder) => filesOf(folder, '.ts'))
      .flatMap((file) => {
        const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/ .*$|^\s*(?:import|export) .*$/gm, '');
        return [...code.matchAll(/(?:message|hint): (.*)/g)].flatMap(([, text = '']) => (places.test(text) ? [`${file}: ${text}`] : []));
      });
    // that hint is about the folder that the tool reads
    expect(texts.filter((text) => !text.includes('a path relative to the open folder'))).toEqual([]);
  });
});
