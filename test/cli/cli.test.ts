import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { isDeep, share } from '../fixtures/share.ts';
import { command, folder, ownProcess, program, typed } from './command.ts';

/** A project with documents. */
function project(): string {
  const cwd = folder();
  mkdirSync(join(cwd, 'docs'));
  for (const name of readdirSync('test/fixtures/docs')) copyFileSync(join('test/fixtures/docs', name), join(cwd, 'docs', name));
  return cwd;
}
const runId = (stderr: string): string => /run (r_\w+)/.exec(stderr)?.[1] ?? 'none';

describe('agent-machines run', () => {
  it('writes the answer to standard output, and everything else to standard error', async () => {
    const { code, stdout, stderr } = await command(folder(), ['run', 'plan-execute', '123 * 456 계산해줘']);
    expect([code, stdout]).toEqual([0, '123 * 456 = 56088\n']);
    expect(stderr).toMatch(/^plan-execute · offline \(rules\) · run r_\w{12} · thread t_\w{12}\n/);
    expect(stderr).toMatch(/✓ planner\s+1 step\s+\d+ ms\n\s+1 calculator {2}"123 \* 456"\n/);
    expect(stderr).toMatch(/3 model calls · 0 cached · 0 tokens · \d+ ms\n$/);
    // no terminal, no colours
    expect(stdout + stderr).not.toContain('\u001b');
  });

  it('searches README and docs of the folder, quotes them, and continues in a thread', async () => {
    const cwd = project();
    const first = await command(cwd, ['run', 'plan-execute', 'docs에서 interrupt를 찾아 요약하고 7*6도 계산해줘', '--thread', 't1']);
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/“[^”]+” \(docs\/interrupt\.md[\s\S]*7\*6 = 42/)]);
    expect(first.stderr).toContain('─┐ parallel');
    const second = await command(cwd, ['run', 'plan-execute', '더 있어?', '--thread', 't1']);
    expect(second.stderr).toContain('→ interrupt 다른 내용');
    expect(second.stdout).toContain('interrupt');
  });

  it('searches every document of a named folder, and reports unreadable ones', async () => {
    const cwd = folder();
    copyFileSync('test/fixtures/pdf/standard-service.chromium.pdf', join(cwd, '계약.pdf'));
    writeFileSync(join(cwd, 'broken.pdf'), 'no PDF');
    const { code, stdout, stderr } = await command(cwd, ['run', 'plan-execute', '문서에서 "지체상금"을 찾아 요약해줘', '--docs', '.']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/지체상금의 합계는 계약금액의 100분의 30을 넘지 못한다\.[^”]*” \(계약\.pdf/)]);
    expect(stderr).toMatch(/^broken\.pdf is not read: .+$/m);
  });

  it('writes only JSON lines of events and result with --json', async () => {
    const { code, stdout, stderr } = await command(folder(), ['run', 'plan-execute', '1+1', '--json']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, stderr]).toEqual([0, '']);
    expect(lines.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run-start', 'node-start', 'tool-start', 'tool-end', 'edge', 'token', 'run-end', 'result']),
    );
    expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'done', finalState: 'done', output: { answer: '1+1 = 2' } });
    const numbered = lines.filter(({ type }) => type !== 'token' && type !== 'result').map(({ seq }) => seq);
    expect(numbered).toEqual(numbered.map((_, index) => index + 1));
  });

  it('exits with 4 when the workflow stops, with the reason and the next step', async () => {
    const { code, stdout, stderr } = await command(folder(), ['run', 'plan-execute', '1/0 계산해줘']);
    expect([code, stdout]).toEqual([4, expect.stringContaining('실행이 중단되었습니다')]);
    expect(stderr).toMatch(/✗ executor\s+1 ✗[\s\S]*1 calculator {2}EXPRESSION_INVALID: /);
    expect(stderr).toContain('↻ replanner');
  });

  it('reads only files of --root', async () => {
    const cwd = project();
    writeFileSync(join(cwd, 'notes.txt'), 'Buy milk.\u001b[31m\n');
    const closed = await command(cwd, ['run', 'plan-execute', 'notes.txt 읽어줘']);
    expect(closed.stdout).not.toContain('Buy milk');
    const open = await command(cwd, ['run', 'plan-execute', 'notes.txt 읽어줘', '--root', '.']);
    // control characters of a file do not reach the terminal
    expect(open.stdout).toContain('Buy milk.\\u{1b}[31m');
  });

  it('names what weather lacks, and sends no request', async () => {
    const { code, stdout } = await command(folder(), ['run', 'plan-execute', '서울 날씨 알려줘']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('OPENWEATHER_API_KEY 설정이 필요합니다')]);
  });

  it.each([
    [['run'], "missing required argument 'workflow'"],
    [['run', 'nothing', 'q'], 'There is no workflow "nothing"'],
    [['tools', '--db', 'my.db'], "unknown option '--db'"],
    [['run', 'plan-execute', 'what', 'is', '2'], 'The question has 3 parts. Put it in quotes, or pass it on standard input.'],
    [['run', 'plan-execute'], 'There is no question. Pass it in quotes, or on standard input.'],
    [['run', 'plan-execute', 'q', '--nope'], "unknown option '--nope'"],
    [['run', 'plan-execute', 'q', '--thread', '../x'], 'ID_INVALID'],
    [['run', 'plan-execute', 'q', '--docs', 'missing'], 'does not exist'],
    [['run', 'plan-execute', 'q', '--docs', process.execPath], 'is not a folder'],
    [['run', 'chat-agent', 'q', '--docs', process.execPath], 'is not a folder'],
    [['run', 'guide-agent', 'q', '--docs', 'missing'], 'does not exist'],
    [['run', 'guide-agent', 'q', '--docs', process.execPath], 'is not a folder'],
    [['run', 'plan-execute', 'q', '--model', 'gpt-5-mini'], 'needs OPENAI_API_KEY'],
    [['nothing'], "unknown command 'nothing'"],
    [['runs', '--limit', '0'], 'It is not a whole number'],
    [['runs', '--limit', '1e3'], 'It is not a whole number'],
    [['runs', '--status', 'maybe'], 'Allowed choices are'],
    [['runs', '--state', 'done', '--state', 'failed'], 'It may be given once only'],
    [['runs', '--workflow', 'a', '--workflow', 'a'], 'It may be given once only'],
    [['graph', 'plan-execute', '--format', 'png'], 'Allowed choices are'],
    [['explain', 'NOPE'], 'Did you mean NODE_FAILED, NODE_TIMEOUT, '],
  ])('exits with 2 for %j, and reports the mistake', async (args, message) => {
    const { code, stdout, stderr } = await command(folder(), args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it.each(['plan-execute', 'plan_execute'])('runs, draws and verifies %s', async (name) => {
    expect(await command(folder(), ['run', name, '2+2'])).toMatchObject({ code: 0, stdout: '2+2 = 4\n' });
    expect(await command(folder(), ['graph', name])).toMatchObject({ code: 0, stdout: expect.stringContaining('intent_classifier') });
    expect(await command(folder(), ['verify', name])).toMatchObject({ code: 0, stdout: expect.stringContaining('plan_execute') });
  });

  it.each([
    ['1< /dev/null', 'EBADF: bad file descriptor'],
    ...(existsSync('/dev/full') ? [['> /dev/full', 'ENOSPC: no space left on device']] : []),
  ])('reports in one line that %s accepts no output, and commits the run', async (output, why) => {
    const cwd = folder();
    const full = await typed(cwd, `${program} run plan-execute '2+2' --json ${output}`);
    expect(full).toMatchObject({ code: 1, stderr: `Cannot write to standard output: ${why}, write.\n` });
    expect((await command(cwd, ['runs', '--json'])).stdout).toContain('"status":"done"');
  });

  it.each([
    ['nosuch-program --x', 'the program "nosuch-program" does not exist'],
    ["'/'", 'the program "/" does not start (EACCES)'],
  ])('reports that the MCP server %s has no program', async (mcp, message) => {
    const { code, stderr } = await command(folder(), ['tools', '--mcp', mcp]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it("exits with 1 for an empty question, a busy thread and another program's database", async () => {
    const cwd = folder();
    expect(await command(cwd, ['run', 'plan-execute', '  '])).toMatchObject({ code: 1, stderr: expect.stringContaining('INPUT_INVALID') });
    writeFileSync(join(cwd, 'x.db'), 'this is no database, it only has its name and is long enough to be looked at');
    expect(await command(cwd, ['run', 'plan-execute', 'q', '--db', 'x.db'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('STORE_UNAVAILABLE'),
    });
  });
});

describe('runs, show, tools, graph, doctor', () => {
  it('rejects an invalid database name, and creates no file', async () => {
    const cwd = folder();
    for (const db of ['', '  ', 'file:agents.db', ':MEMORY:']) {
      const { code, stderr } = await command(cwd, ['chat', 'hello', '--db', db]);
      expect([db, code, stderr]).toEqual([db, 2, expect.stringContaining("option '--db <file>'")]);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('lists and shows earlier runs', async () => {
    const cwd = folder();
    expect((await command(cwd, ['runs'])).stdout).toContain('No runs yet');
    const { stderr } = await command(cwd, ['run', 'plan-execute', '6*7 계산해줘', '--thread', 'tt']);
    const id = runId(stderr);
    const runs = await command(cwd, ['runs', '--thread', 'tt']);
    expect(runs.stdout).toMatch(new RegExp(`^RUN .*\\n${id}\\s+done\\s+plan_execute\\s+tt\\s+.*6\\*7 계산해줘`));
    expect(JSON.parse((await command(cwd, ['runs', '--json'])).stdout)).toMatchObject({ id, status: 'done', threadId: 'tt' });
    const show = await command(cwd, ['show', id]);
    expect(show.stdout).toMatch(/executor#1\/step_1[\s\S]*6\*7 = 42\n$/);
    const json = JSON.parse((await command(cwd, ['show', id, '--json'])).stdout);
    expect(json.journal.map(({ kind }: { kind: string }) => kind)).toEqual(['start', 'node', 'node', 'step', 'node', 'node', 'settle']);
    expect(await command(cwd, ['show', 'r_nobody'])).toMatchObject({ code: 1, stderr: expect.stringContaining('RUN_UNKNOWN') });
  });

  it('finishes a run after its reader has stopped reading', async () => {
    const cwd = folder();
    const run = ownProcess(cwd, ['run', 'plan-execute', '6*7 계산해줘']);
    run.stopReading();
    expect((await run).code).toBe(0);
    expect((await command(cwd, ['runs'])).stdout).toMatch(/\n\S+\s+done\s/);
  });

  it('lists why some tools are unavailable', async () => {
    const { stdout } = await command(folder(), ['tools']);
    expect(stdout).toMatch(/^yes\s+calculator\s+pure/m);
    expect(stdout).toMatch(/^no\s+search_documents .*No documents are open. Open some with --docs DIR\.$/m); // whole
    const lines = (await command(folder(), ['tools', '--json', '--allow-net'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ name }) => name)).toEqual([
      'calculator',
      'get_current_datetime',
      'read_file',
      'search_documents',
      'get_weather',
      'search_wikipedia',
      'web_search',
      'summarize',
      'python_repl',
      'get_time',
      'google_search',
    ]);
    expect(lines.find(({ name }) => name === 'search_wikipedia').unavailable).toBeUndefined();
  });

  it('draws the machine as a picture and a page, with the path of a run', async () => {
    const cwd = folder();
    const run = runId((await command(cwd, ['run', 'plan-execute', '3 * 4'])).stderr);
    const { stdout: svg } = await command(cwd, ['graph', 'plan-execute', '--format', 'svg', '--theme', 'dark', '--run', run]);
    expect(svg).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(svg).toContain('The path of the run is intent_classifier (needsTool), planner (hasPlan)');
    expect(svg).toContain('It is in done.');
    expect((await command(cwd, ['graph', 'plan-execute', '--format', 'html'])).stdout).toMatch(
      /^<!doctype html>.*<svg .*prefers-color-scheme/s,
    );
    expect((await command(cwd, ['graph', 'plan-execute', '--run', run])).stdout).toContain('planner --> executor: ✓ 1 hasPlan');
    const wrong = await command(cwd, ['graph', 'chat-agent', '--run', run]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('belongs to "plan_execute", not to "chat_agent"')]);
  });

  it('draws what a file exports, and reports none or several exports', async () => {
    const cwd = folder();
    const xstate = import.meta.resolve('xstate');
    const machine = (id: string): string =>
      `createMachine({ id: '${id}', initial: 'a', states: { a: { on: { GO: 'b' } }, b: { type: 'final' } } })`;
    const write = (name: string, text: string): void =>
      writeFileSync(join(cwd, name), `import { createMachine } from '${xstate}';\n${text}`);
    write('one.mjs', `export const one = ${machine('one')};`);
    write('made.mjs', `export const make = ({ work }) => ({ machine: ${machine('made')}, work });`);
    write('two.mjs', `export const one = ${machine('one')};\nexport const two = ${machine('two')};`);
    write('none.mjs', 'export const none = 1;');
    expect((await command(cwd, ['graph', 'one.mjs'])).stdout).toContain('a --> b: GO');
    expect(JSON.parse((await command(cwd, ['graph', './made.mjs', '--format', 'json'])).stdout).id).toBe('made');
    expect(JSON.parse((await command(cwd, ['graph', 'two.mjs#two', '--format', 'json'])).stdout).id).toBe('two');
    expect((await command(cwd, ['graph', 'one.mjs', '--format', 'xstate'])).stdout).toMatch(
      /^import .*createMachine\(\{\n {2}"id": "one"/s,
    );
    for (const [file, reason] of [
      ['two.mjs', 'Choose one of two.mjs#one, two.mjs#two'],
      ['none.mjs', 'exports no workflow'],
      ['gone.mjs', 'There is no file gone.mjs'],
    ] as const) {
      const { code, stderr } = await command(cwd, ['graph', file]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
  });

  it('draws the machine in every format', async () => {
    const { stdout } = await command(folder(), ['graph', 'plan-execute']);
    expect(stdout).toContain('executor --> replanner: 1 canReplanFailedWave');
    const graph = JSON.parse((await command(folder(), ['graph', 'plan-execute', '--format', 'json'])).stdout);
    expect(graph.states.map(({ path }: { path: string }) => path)).toEqual([
      'intent_classifier',
      'planner',
      'executor',
      'tool_review',
      'replanner',
      'final_answer',
      'error_handler',
      'done',
      'stopped',
    ]);
  });

  it('reports the engine, the database and missing settings in doctor', async () => {
    const cwd = folder();
    await command(cwd, ['run', 'plan-execute', '1+1']);
    const { code, stdout } = await command(cwd, ['doctor'], { TZ: 'Asia/Tokyo' });
    expect(code).toBe(0);
    expect(stdout).toContain("✓ time zone: Asia/Tokyo, the machine's");
    expect(stdout).toContain('✓ workflow plan-execute: runs on its transition table');
    expect(stdout).toContain('✓ database: .agent-machines/agents.db: 1 runs');
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await command(folder(), ['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  it('names every command in help', async () => {
    const { code, stdout } = await command(folder(), ['--help']);
    expect(code).toBe(0);
    for (const name of ['run', 'resume', 'send', 'resolve', 'cancel', 'runs', 'show', 'graph', 'tools', 'doctor'])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });
});

const completion = (reply: unknown) => ({ type: 'completion' as const, text: typeof reply === 'string' ? reply : JSON.stringify(reply) });
const intent = completion({ intent: 'new_question', rewritten_query: 'sum', needs_tool: true, constraints: null });

describe('with a language model', () => {
  const plan = completion({ steps: [{ step_id: 1, tool: 'calculator', input: '20+22' }] });

  it('calls the server of --base-url, streams its answer and counts its tokens', async () => {
    await using server = await startOpenaiServer();
    server.answer(intent, plan, completion('The answer is 42.'));
    const { code, stdout, stderr } = await command(folder(), [
      'run',
      'plan-execute',
      'add 20 and 22',
      '--base-url',
      server.url,
      '--model',
      'my-model',
    ]);
    expect([code, stdout]).toEqual([0, 'The answer is 42.\n']);
    expect(stderr).toContain('plan-execute · my-model · run');
    expect(stderr).toContain('3 model calls · 0 cached · 39 tokens');
    expect(server.requests.map(({ body }) => body.model)).toEqual(['my-model', 'my-model', 'my-model']);
  });

  it('stops at a rejected plan', async () => {
    await using server = await startOpenaiServer();
    server.answer(intent, completion({ steps: [{ step_id: 1, tool: 'shell', input: 'rm -rf /' }] }));
    const { code, stdout, stderr } = await command(folder(), ['run', 'plan-execute', 'clean up', '--base-url', server.url]);
    expect([code, stdout]).toEqual([4, expect.stringContaining('(PLAN_REJECTED)')]);
    expect(stderr).toContain('"shell", which is not offered');
  });

  it('never shows the key', async () => {
    await using server = await startOpenaiServer();
    server.answer({ type: 'json', status: 401, body: { error: { message: 'Incorrect API key provided: sk-secret-123' } } });
    const cwd = folder();
    const { code, stdout, stderr } = await command(cwd, ['run', 'plan-execute', 'q', '--base-url', server.url], {
      OPENAI_API_KEY: 'sk-secret-123',
    });
    expect([code, stdout + stderr]).toEqual([4, expect.not.stringContaining('sk-secret-123')]);
    expect((await command(cwd, ['show', runId(stderr), '--json'])).stdout).not.toContain('sk-secret-123');
  });

  it('pauses at Ctrl-C, prints the command that resumes the run, and repeats no call after it', async () => {
    await using server = await startOpenaiServer();
    const cwd = folder();
    server.answer(intent, plan, { type: 'silence' });
    const running = ownProcess(cwd, ['run', 'plan-execute', 'add', '--base-url', server.url, '--db', 'my.db']);
    await running.sees('✓ executor');
    while (server.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    running.kill('SIGINT');
    const paused = await running;
    expect([paused.code, paused.stdout]).toEqual([130, '']);
    const id = runId(paused.stderr);
    expect(paused.stderr).toContain(`Paused at final_answer. Resume: ${program} resume ${id} --db my.db`);
    server.answer(completion('42 it is.'));
    const resumed = await command(cwd, ['resume', id, '--db', 'my.db']);
    expect([resumed.code, resumed.stdout]).toEqual([0, '42 it is.\n']);
    // the settings that it was started with are remembered: the same server was asked
    expect(server.requests).toHaveLength(4);
    const again = await command(cwd, ['resume', id, '--db', 'my.db']);
    expect([again.code, again.stdout, server.requests.length]).toEqual([0, '42 it is.\n', 4]);
  });

  it('rejects send, resolve and cancel when nothing is open', async () => {
    await using server = await startOpenaiServer();
    const cwd = folder();
    server.answer({ type: 'silence' });
    const running = ownProcess(cwd, ['run', 'plan-execute', 'add', '--base-url', server.url]);
    await running.sees('thread');
    while (server.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    running.kill('SIGINT');
    const id = runId((await running).stderr);
    expect(await command(cwd, ['send', id, 'APPROVE'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not waiting for an answer'),
    });
    expect(await command(cwd, ['resolve', id, 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--done JSON, --retry or --abort'),
    });
    expect(await command(cwd, ['resolve', id, 'x', '--retry'])).toMatchObject({ code: 1, stderr: expect.stringContaining('CALL_UNKNOWN') });
    expect(await command(cwd, ['cancel', id])).toMatchObject({ code: 0, stderr: `Cancelled ${id}.\n` });
    expect(await command(cwd, ['resume', id])).toMatchObject({ code: 1, stderr: expect.stringContaining('Cancelled.') });
    expect(await command(cwd, ['cancel', id])).toMatchObject({ code: 1, stderr: expect.stringContaining('RUN_ENDED') });
  });
});

describe('kill -9', () => {
  it('gives the same answer after a resume, and repeats no committed step', async () => {
    const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let kills = 0;
    let resumes = 0;
    for (const round of isDeep ? Array.from({ length: 12 }).keys() : [1, 2, 3, 8]) {
      // while its model is asked the first, second or third time, which nobody answers before; or at any moment
      const asking = round % 4;
      const wasAsked = Promise.withResolvers<void>();
      const wasKilled = Promise.withResolvers<void>();
      await using server = await startOpenaiServer(async (body) => {
        if (server.requests.length === asking) {
          wasAsked.resolve();
          await wasKilled.promise;
        }
        await delay(12);
        const system = JSON.stringify(body.messages);
        if (system.includes('You read a user')) return intent;
        if (system.includes('You turn a request into a plan')) return manySteps;
        return completion('It is 55.');
      });
      const cwd = folder();
      const running = ownProcess(cwd, ['run', 'plan-execute', 'add up', '--base-url', server.url]);
      // from before the first write to after the last one
      await running.sees('thread t_');
      await (asking === 0 ? delay(round * 5) : wasAsked.promise);
      running.kill('SIGKILL');
      const killed = await running;
      wasKilled.resolve();
      if (killed.signal === 'SIGKILL') kills++;
      const [before] = await stored(cwd);
      if (!before) continue; // it died before anything was written: there is nothing to resume
      const { id, journal: journalBefore } = before;
      const asked = server.requests.length;
      const resumed = await command(cwd, ['resume', id]);
      resumes++;
      expect([resumed.code, resumed.stdout]).toEqual([0, 'It is 55.\n']);
      const journal = (await stored(cwd))[0]?.journal ?? [];
      // what was committed stands as it was, and every step has one outcome
      expect(journal.slice(0, journalBefore.length)).toEqual(journalBefore);
      const outcomes = journal.filter(({ kind }) => kind === 'node' || kind === 'step').map(({ key }) => key);
      expect(new Set(outcomes).size).toBe(outcomes.length);
      expect(outcomes.filter((key) => key.includes('/step_'))).toHaveLength(10);
      // models that had answered are not asked again
      const answered = journalBefore.filter(
        ({ kind, key }) => kind === 'node' && /^(intent_classifier|planner|final_answer)#/.test(key),
      ).length;
      expect(server.requests.length - asked).toBe(3 - answered);
    }
    expect([kills >= share(8, 3), resumes >= share(8, 3)]).toEqual([true, true]);
  });

  /** The runs of a database, and their journals. */
  const stored = async (cwd: string): Promise<readonly { id: string; journal: readonly JournalEntry[] }[]> => {
    const store = sqliteStore({ path: join(cwd, '.agent-machines/agents.db') });
    const runs = await store.list({});
    const found = await Promise.all(runs.map(async ({ id }) => ({ id, journal: await store.journal(id) })));
    await store.close();
    return found;
  };
  const manySteps = completion({ steps: Array.from({ length: 10 }, (_, i) => ({ step_id: i + 1, tool: 'calculator', input: `${i}+1` })) });
});
