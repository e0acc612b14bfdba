// The programs of docs/examples: each runs as a process of its own, prints what its page says, and is linked from there.
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { bundle } from './fixtures/bundle.ts';

const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sourceOf = (name: string): string => readFileSync(`docs/examples/${name}.ts`, 'utf8');
const linesOf = (text: string): number => text.trimEnd().split('\n').length;

const bundled = await bundle(globSync('docs/examples/*.ts').sort());

async function run(name: string): Promise<string> {
  // the first one as a reader starts it; of the others, what they load is in a few files
  const program = name === 'first-workflow' ? resolve(`docs/examples/${name}.ts`) : join(bundled, `${name}.mjs`);
  const { stdout } = await execute(process.execPath, ['--conditions=@agent-machines/source', program], { cwd: folder });
  return stdout;
}

const printed: Readonly<Record<string, readonly string[]>> = {
  'first-workflow': ['waiting'],
  'human-answer': ['Soup? APPROVE or CHANGE', 'Pie? APPROVE or CHANGE', "{ status: 'done', finalState: 'planned', output: 'Pie for 6' }"],
  'tool-loop': ["price { item: 'apple' }", "calculator { expression: '5 * 12' }", 'A dozen apples are 60 euros.'],
  'own-tools': ['receipt of 5 euros, The mail server is down.'],
  parallel: ['otters hold hands, and otters use tools'],
  steps: ['charging 42 to Ada', 'mail 1, key of 28 letters', 'mail 2, key of 28 letters', 'receipt of Ada'],
  'sub-workflow': ['consent#1/ask#1 Order a chair?', "{ status: 'done', finalState: 'ordered', output: 'a chair: true' }"],
  'sub-agents': [
    'tools#1/call_1#1/tool_review#1',
    '{',
    "  answer: 'Twelve apples are on their way.',",
    '  steps: 1,',
    '  usage: { inputTokens: 0, outputTokens: 0 },',
    "  outcome: 'answered',",
    "  output: 'Twelve apples are on their way.',",
    '  error: null',
    '}',
  ],
  eval: [
    'contains: 1 of 1',
    'trajectory exact: 1 of 1',
    'The cassette has no reply for "tool_agent.agent" in the case "apples": message 1 differs: recorded "system: Be brief.\\n\\n- What you do not know, you say so; you never make up facts.\\n- Use a tool when i…", now "system: Be polite.\\n\\n- What you do not know, you say so; you never make up facts.\\n- Use a tool when …".',
  ],
  'property-test': ['300 runs, edges that none of them took: 0', 'the same end after a crash before any write: done'],
  report: [
    'research.web.run → research.web.end|research.archive.run',
    'research.archive.run → write',
    'write → judge',
    'judge → write',
    'write → judge',
    'judge → review',
    'Otters hold hands while they sleep. Otters keep a stone under the arm.',
    '{',
    "  status: 'done',",
    "  finalState: 'published',",
    "  output: 'https://example.com/70'",
    '}',
  ],
};

describe('the examples', () => {
  it.each(Object.entries(printed))('%s prints the expected output', async (name, lines) => {
    expect(await run(name)).toBe(`${lines.join('\n')}\n`);
  });

  it('crash-and-resume dies in its first process, and resumes in its second', async () => {
    await expect(run('crash-and-resume')).rejects.toMatchObject({ code: 1, stdout: 'drafting\n' });
    expect(await run('crash-and-resume')).toBe("editing\n{ status: 'done', finalState: 'written', output: 'ABOUT OTTERS' }\n");
  });

  it('refund-bot pays fraud, which verify shows as its page says, and not with the guards swapped', async () => {
    const page = readFileSync('docs/guides/property-test-your-agent.md', 'utf8');
    const source = sourceOf('refund-bot');
    expect(page).toContain(`\`\`\`ts\n${source}\`\`\``);
    const verify = async (file: string) => {
      const args = ['--conditions=@agent-machines/source', 'src/cli/bin.ts', 'verify', file];
      const run = execute(process.execPath, args, { env: { ...process.env, NO_COLOR: '1' } });
      return run.then(
        ({ stdout }) => ({ code: 0, text: stdout }),
        ({ code, stdout, stderr }) => ({ code, text: `${stdout}${stderr}` }),
      );
    };
    const { code, text } = await verify('docs/examples/refund-bot.ts');
    expect(code).toBe(1);
    expect(page).toContain(`$ agent-machines verify refund-bot.ts\n${text}\`\`\``);

    const [small, fraud] = ["{ guard: 'isSmall', target: 'pay' }", "{ guard: 'isFraud', target: 'refused' }"];
    const mended = resolve(`test/fixtures/refund-bot-mended-${process.pid}.ts`);
    writeFileSync(mended, source.replace(`${small}, ${fraud}`, `${fraud}, ${small}`));
    try {
      expect(await verify(mended)).toMatchObject({ code: 0, text: expect.not.stringMatching(/[✗?]/) });
    } finally {
      rmSync(mended);
    }
  });

  it('are all run here, and linked from a page', () => {
    const all = readdirSync('docs/examples');
    const names = all.filter((name) => name.endsWith('.ts')).map((name) => name.replace(/\.ts$/, ''));
    expect(names.sort()).toEqual([...Object.keys(printed), 'crash-and-resume', 'refund-bot'].sort());
    const pages = ['README.md', 'docs/start.md', 'docs/concepts.md', ...readdirSync('docs/guides').map((name) => `docs/guides/${name}`)];
    const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
    expect(names.filter((name) => !text.includes(`examples/${name}.ts)`))).toEqual([]);
    // a folder has a test of its own: a system test if it needs another platform than Node
    const folders = all.filter((name) => !name.endsWith('.ts'));
    expect(folders.filter((name) => !text.includes(`examples/${name})`))).toEqual([]);
    const tests = (name: string) => [`test/${name}-example.test.ts`, `test/system/${name}-example.test.ts`];
    expect(folders.filter((name) => !tests(name).some((file) => existsSync(file)))).toEqual([]);
  });

  it('keep the reading of a first hour short', () => {
    expect(linesOf(sourceOf('first-workflow'))).toBeLessThanOrEqual(40);
    expect(linesOf(sourceOf('report'))).toBeLessThanOrEqual(60);
  });

  it('match property-test-your-agent.md, with a test of at most 20 lines', () => {
    const source = sourceOf('property-test');
    expect(readFileSync('docs/guides/property-test-your-agent.md', 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\``);
    expect(linesOf(source.slice(source.indexOf('// the test')))).toBeLessThanOrEqual(20);
  });

  it('match deployment.md, in which they are shown', () => {
    const page = readFileSync('docs/guides/deployment.md', 'utf8');
    for (const [language, name] of Object.entries({ dockerfile: 'Dockerfile', ini: 'agents.service', nginx: 'nginx.conf' })) {
      expect(page).toContain(`\`\`\`${language}\n${readFileSync(`docs/examples/deployment/${name}`, 'utf8')}\`\`\``);
    }
  });

  it('match start.md', () => {
    const page = readFileSync('docs/start.md', 'utf8');
    expect(page).toContain(`\`\`\`ts\n${sourceOf('first-workflow')}\`\`\``);
    expect(page).toContain(`\`\`\`ts\n${sourceOf('report')}\`\`\``);
  });
});
