import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { createRuntime, memoryStore, type Tool } from 'agent-machines';
import { type ChatAgentRuleInputs, chatAgent } from 'agent-machines/machines/chat-agent';
import { offlineModel } from 'agent-machines/models';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chat } from '../../src/cli/chat.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { atTerminal, type Command, command, folder, ownProcess } from './command.ts';

const policies = resolve('machines/chat-agent/examples');
const talk = (cwd: string, lines: readonly string[], ...args: readonly string[]) =>
  command(cwd, ['chat', ...args], {}, `${lines.join('\n')}\n`);
const ownTalk = (cwd: string, lines: readonly string[], ...args: readonly string[]): Command =>
  ownProcess(cwd, ['chat', ...args], {}, `${lines.join('\n')}\n`);

/** A text as a terminal sends it when it is pasted. */
const pasted = (text: string): string => `\x1b[200~${text}\x1b[201~`;

describe('agent-machines chat, from a pipe', () => {
  it('exits with 3 and prints the commands when it cannot prompt, and send answers', async () => {
    const cwd = folder();
    const flags = ['--docs', policies, '--allow-net', '--thread', 't1'];
    const { code, stderr } = await talk(cwd, ['병가는 며칠이야?', '위키백과에서 세종대왕 찾아줘', '1+1 계산해줘'], ...flags);
    expect([code, stderr]).toEqual([3, expect.stringContaining('private data is in the thread')]);
    const [, runId = '', id = ''] = /send (\S+) APPROVE --interrupt (\S+)/.exec(stderr) ?? [];
    const bare = await command(cwd, ['send', runId, 'REJECT', '{"reason":"거기에는 묻지 마"}']);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('search_wikipedia')]);
    const again = await talk(cwd, ['1+1 계산해줘'], ...flags);
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('The last turn waits for you')]);
    const sent = await command(cwd, ['send', runId, 'REJECT', '{"reason":"거기에는 묻지 마"}', '--interrupt', id]);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining('거기에는 묻지 마')]);
  });

  it('runs a turn per line, and writes only the answers to standard output', async () => {
    const { code, stdout, stderr } = await talk(folder(), ['내 이름은 철수야', '', '2+3*4 계산해줘', '내 이름이 뭐라고 했지?']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('네, 기억하겠습니다: “내 이름은 철수야”\n\n2+3*4 = 14\n\n“내 이름은 철수야”라고 말씀하셨습니다.\n');
  });

  it('continues a conversation in another process, long after it was summarised', async () => {
    const cwd = folder();
    const small = Array.from({ length: 28 }, (_, index) => `${index} + 1 계산해줘`);
    const first = await ownTalk(cwd, ['내 이름은 철수야', '프로젝트 마감일은 3월 15일이야', ...small], '--thread', 't1');
    expect([first.code, first.stdout.trim().split('\n\n').length]).toEqual([0, 30]);
    const second = await ownTalk(cwd, ['내 이름이 뭐라고 했지?', '마감일이 언제라고 했지?'], '--thread', 't1');
    expect([second.code, second.stdout]).toEqual([
      0,
      '“내 이름은 철수야”라고 말씀하셨습니다.\n\n“프로젝트 마감일은 3월 15일이야”라고 말씀하셨습니다.\n',
    ]);
  });

  it.each(['memory', 'sqlite'])('searches documents in a %s store', async (store) => {
    const { code, stdout } = await talk(folder(), ['병가는 며칠이야?'], '--docs', policies, '--store', store);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/10일까지 유급 병가[\s\S]*leave-policy\.md/)]);
  });

  it('names the package that a store needs, and exits with 4', async () => {
    const { code, stderr } = await talk(folder(), ['병가는 며칠이야?'], '--docs', policies, '--store', 'faiss');
    expect([code, stderr]).toEqual([4, expect.stringMatching(/ADAPTER_MISSING[\s\S]*npm install faiss-node/)]);
  });

  it.each([
    ['오늘 서울 날씨 어때?', 'OPENWEATHER_API_KEY'],
    ['위키백과에서 세종대왕 찾아줘', '--allow-net'],
    ['notes.md 파일 읽어줘', '--root'],
    ['파이썬으로 실행해줘: 1+1', '--allow-python'],
  ])('names the missing setting for “%s”', async (question, missing) => {
    const { code, stdout } = await talk(folder(), [question]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(missing)]);
  });

  it('writes events and results as lines of JSON with --json', async () => {
    const { stdout } = await talk(folder(), ['1+1', '2+2'], '--json');
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'result');
    expect(results.map(({ output }) => output.answer)).toEqual(['1+1 = 2', '2+2 = 4']);
  });

  it('finishes the turn of a killed process, then continues', async () => {
    await using server = await startOpenaiServer();
    const cwd = folder();
    const route = { type: 'completion', text: '{"route":"agent","reason":"talk"}' } as const;
    server.answer(route, { type: 'silence' });
    const running = ownTalk(cwd, ['hello'], '--thread', 't1', '--base-url', server.url, '--model', 'm');
    while (server.requests.length < 2) await new Promise((done) => setTimeout(done, 5));
    running.kill('SIGKILL');
    await running;
    server.answer({ type: 'completion', text: 'Hi there.' }, route, { type: 'completion', text: 'Fine.' });
    const { code, stdout, stderr } = await talk(cwd, ['how are you?'], '--thread', 't1', '--base-url', server.url, '--model', 'm');
    expect([code, stdout]).toEqual([0, 'Hi there.\n\nFine.\n']);
    expect(stderr).toContain('The last turn was cut off and resumes');
  });

  it('continues after a line that is too long', async () => {
    const { code, stdout, stderr } = await talk(folder(), ['x'.repeat(1_000_001), '1+1 계산해줘']);
    expect([code, stdout]).toEqual([1, '1+1 = 2\n']);
    expect(stderr).toContain('INPUT_INVALID');
  });

  it('ends quietly after the turn in which its output closes', async () => {
    const cwd = folder();
    const talking = ownTalk(cwd, Array<string>(400).fill('1+1 계산해줘'), '--thread', 't1');
    await talking.sees('1+1 = 2');
    talking.stopReading();
    expect(await talking).toMatchObject({ code: 0, signal: null });
    const runs = (await command(cwd, ['runs', '--limit', '1000', '--json'])).stdout.trim().split('\n');
    expect(runs.length).toBeLessThan(400);
    expect(runs.map((run) => JSON.parse(run).status)).toEqual(runs.map(() => 'done'));
  });

  it('rejects a store without documents', async () => {
    const { code, stderr } = await talk(folder(), ['x'], '--store', 'sqlite');
    expect([code, stderr]).toEqual([2, '--store sqlite stores documents and needs --docs DIR.\n']);
  });

  it('rejects an unknown store', async () => {
    const { code, stderr } = await talk(folder(), ['x'], '--store', 'redis');
    expect([code, stderr]).toEqual([2, expect.stringContaining('memory, sqlite, faiss, chroma, opensearch')]);
  });
});

describe('chat at a terminal', () => {
  afterEach(() => vi.restoreAllMocks());

  /** Somebody at a terminal, whose screen is kept. */
  function person(
    model = offlineModel({ 'chat_agent.router': () => ({ route: 'agent', reason: '' }), 'chat_agent.agent': () => 'an answer' }),
    tools?: readonly Tool[],
  ) {
    let screen = '';
    const show = (text: unknown): boolean => {
      screen += String(text);
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(show);
    vi.spyOn(process.stderr, 'write').mockImplementation(show);
    const input = new PassThrough();
    const questions: string[] = [];
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const workflow = chatAgent({ model, ...(tools ? { tools } : {}) });
    const ended = chat({
      runtime,
      threadId: 't1',
      start: (question) => {
        questions.push(question);
        return runtime.start(workflow, { input: question }, { threadId: 't1' });
      },
      json: false,
      resumeHint: 'continue later',
      input,
      terminal: true,
    });
    const sees = async (text: string, times = 1): Promise<void> => {
      while (screen.split(text).length <= times) await new Promise((done) => setImmediate(done));
    };
    return { input, runtime, ended, sees, questions, screen: () => screen };
  }

  describe('keeps a paste whole', () => {
    const text = Buffer.from(`앞 ${pasted('가\r\n나\n')} 뒤 ${pasted('$1\n$&')}\n${pasted('한 줄')}\n`);
    const meant = ['앞 가\n나 뒤 $1\n$&', '한 줄'];

    it('and shows it as one word', async () => {
      const { input, ended, questions, screen } = person();
      input.end(text);
      expect([await ended, questions]).toEqual([0, meant]);
      expect(screen()).toContain('앞 [paste 1: 2 lines] 뒤 [paste 2: 2 lines]');
      expect(screen()).toContain('한 줄');
    });

    it('however the terminal cuts it', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(fc.nat(text.length), { maxLength: 8 }), async (cuts) => {
          const { input, ended, questions } = person();
          const ends = [0, ...cuts.sort((a, b) => a - b), text.length];
          for (const [index, to] of ends.slice(1).entries()) input.write(text.subarray(ends[index], to));
          input.end();
          expect([await ended, questions]).toEqual([0, meant]);
        }),
        { numRuns: 20 },
      );
    });
  });

  /** Someone whose model calls a tool that needs approval, and what the tool was asked for. */
  function reviewer() {
    const made: unknown[] = [];
    const pay: Tool = {
      name: 'pay',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
      effect: 'once',
      capabilities: { private: false, untrusted: false, external: true },
      needsApproval: true,
      execute: async (args) => {
        made.push(args);
        return 'paid';
      },
    };
    const model = offlineModel<ChatAgentRuleInputs>({
      'chat_agent.router': () => ({ route: 'agent', reason: '' }),
      'chat_agent.agent': ({ messages, ruleInput }) => {
        const here = messages.slice(messages.findLastIndex(({ role, content }) => role === 'user' && content === ruleInput.input));
        const answer = here.findLast(({ role }) => role === 'tool');
        return answer ? `it said ${answer.content}` : { toolCalls: [{ name: 'pay', arguments: { text: '10\u001b[2J' } }] };
      },
    });
    return { ...person(model, [pay]), made };
  }

  it('shows a waiting call with its exact arguments, and makes it only on explicit approval', async () => {
    const { input, ended, sees, made, screen } = reviewer();
    input.write('pay\r');
    await sees('[a]pprove');
    expect(screen()).toContain('Approve this exact call of pay?');
    expect(screen()).toContain('"text": "10\\u001b[2J"'); // escaped
    for (const [index, text] of ['yes', 'ok', 'approve it please', 'y'].entries()) {
      input.write(`${text}\r`);
      await sees('Nothing was approved', index + 1);
    }
    expect(made).toEqual([]);
    input.write('approve\r');
    await sees('it said paid');
    input.write('\x04');
    expect([await ended, made]).toEqual([0, [{ text: '10\u001b[2J' }]]);
  });

  it('changes the arguments of a call, and prompts again when they are invalid', async () => {
    const { input, ended, sees, made } = reviewer();
    input.write('pay\r');
    await sees('[a]pprove');
    input.write('e\r');
    await sees('as JSON');
    input.write('{"text":5}\r');
    await sees('Your edit is invalid');
    input.write('e\r');
    await sees('as JSON', 2);
    input.write('{"text":"5"}\r');
    await sees('it said paid');
    input.write('\x04');
    expect([await ended, made]).toEqual([0, [{ text: '5' }]]);
  });

  it('continues after a call is rejected', async () => {
    const { input, ended, sees, made } = reviewer();
    input.write('pay\r');
    await sees('[a]pprove');
    input.write('r\r');
    await sees('Why not?');
    input.write('too much\r');
    await sees('too much', 2); // what was typed, and what the model was told
    input.write('\x04');
    expect([await ended, made]).toEqual([0, []]);
  });

  it.each([
    ['Ctrl-D', '\x04'],
    ['Ctrl-C', '\x03'],
  ])('leaves the question open with %s, shows how to answer later, and calls nothing', async (_, key) => {
    const { input, ended, sees, made, screen } = reviewer();
    input.write('pay\r');
    await sees('[a]pprove');
    input.write(key);
    expect([await ended, made]).toEqual([3, []]);
    expect(screen()).toMatch(/send \S+ APPROVE --interrupt i_/);
    expect(screen()).toMatch(/send \S+ REJECT '\{"reason":"…"\}' --interrupt i_/);
  });

  it('prompts after each answer, and ends with Ctrl-D', async () => {
    const { input, ended, sees } = person();
    input.write('hello\r');
    await sees('an answer');
    input.write('again\r');
    await sees('an answer', 2);
    input.write('\x04');
    expect(await ended).toBe(0);
  });

  it('ends only the turn with Ctrl-C', async () => {
    let aborted = false;
    const { input, runtime, ended, sees } = person(
      offlineModel<ChatAgentRuleInputs>({
        'chat_agent.router': () => ({ route: 'agent', reason: '' }),
        'chat_agent.agent': ({ ruleInput, signal }) => {
          if (ruleInput.input !== 'slow') return 'an answer';
          return new Promise((_, reject) =>
            signal?.addEventListener('abort', () => {
              aborted = true;
              reject(signal.reason);
            }),
          );
        },
      }),
    );
    input.write('slow\r');
    while ((await runtime.list({}))[0]?.status !== 'running') await new Promise((done) => setImmediate(done));
    input.write('\x03');
    await sees('cancelled');
    input.write('quick\r');
    await sees('an answer');
    input.write('\x04');
    expect([await ended, aborted]).toEqual([0, true]);
    expect((await runtime.list({})).map(({ status }) => status)).toEqual(['done', 'cancelled']);
  });

  it('clears a line with Ctrl-C, warns at an empty one, and ends with the next', async () => {
    const { input, runtime, ended, sees } = person();
    await sees('> ');
    input.write('never asked');
    input.write('\x03');
    input.write('\x03');
    await sees('Ctrl-C once more ends the conversation.');
    input.write('\x03');
    expect(await ended).toBe(0);
    expect(await runtime.list({})).toEqual([]);
  });

  it('warns again after a line in between', async () => {
    const { input, runtime, ended, sees } = person();
    await sees('> ');
    input.write('\x03');
    await sees('once more');
    input.write('hello\r');
    await sees('an answer');
    input.write('\x03');
    await sees('once more', 2);
    input.write('\x04');
    expect(await ended).toBe(0);
    expect(await runtime.list({})).toHaveLength(1);
  });

  it('lists its commands with /help, and calls no model for it or for an unknown command', async () => {
    const { input, runtime, ended, sees } = person();
    input.write('/help\r');
    await sees('/exit');
    input.write('/hlep\r');
    await sees('/hlep is not a command');
    input.write('/exit\r');
    expect(await ended).toBe(0);
    expect(await runtime.list({})).toEqual([]);
  });
});

describe('a long question', () => {
  it('is one message of chat if it is pasted at a terminal', async () => {
    const talk = atTerminal(folder(), ['chat'], 80);
    await talk.sees('> ');
    talk.type(`${pasted('내 이름은 다온이야\n내 고양이는 먼지야\n')}\n`);
    await talk.sees('paste 1: 2 lines');
    talk.type('/exit\n');
    const { code, stdout } = await talk;
    expect([code, stdout.match(/기억하겠습니다/g)?.length]).toEqual([0, 1]);
  });

  it.each([[[]], [['-']]])('is read from standard input by run with %j', async (question) => {
    const { code, stdout } = await command(folder(), ['run', 'plan_execute', ...question], {}, 'What is\n6 * 7?\n');
    expect([code, stdout]).toEqual([0, '6 * 7 = 42\n']);
  });
});
