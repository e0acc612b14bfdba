import { PassThrough } from 'node:stream';
import type { Interrupt } from 'agent-machines';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askReview, describeReview } from '../../src/cli/review.ts';
import { command, folder, ownProcess, program } from './command.ts';

const interruptIn = (text: string): string => [...text.matchAll(/--interrupt (i_\w+)/g)].at(-1)?.[1] ?? 'none';
const request = '유튜브 쇼츠를 만들어서 올리고 싶어';

describe('agent-machines run guide-agent, without a terminal', () => {
  it('shows the plan and the exact commands, and exits with 3', async () => {
    const { code, stdout, stderr } = await command(folder(), ['run', 'guide-agent', request]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/Plan, revision 1:\n {2}1\. \S/);
    const runId = /run (r_\w+)/.exec(stderr)?.[1];
    const id = interruptIn(stderr);
    expect(stderr).toContain(`${program} send ${runId} APPROVE --interrupt ${id}`);
    expect(stderr).toContain(`${program} send ${runId} REVISE '{"feedback":"…"}' --interrupt ${id}`);
    expect(stderr).toContain(`${program} send ${runId} EDIT '{"sub_tasks":["…","…"]}' --interrupt ${id}`);
    expect(stderr).toContain(`${program} send ${runId} CANCEL --interrupt ${id}`);
  });

  it('carries out an approved plan while the memory server is down, and reports it', async () => {
    const cwd = folder();
    const asked = await command(cwd, ['run', 'guide-agent', `${request}. 무료로 하고 싶어`]);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const down = ['--store', 'chroma', '--store-url', 'http://127.0.0.1:9', '--json'];
    const done = await command(cwd, ['send', runId, 'APPROVE', '--interrupt', interruptIn(asked.stderr), ...down]);
    const result = JSON.parse(done.stdout.trim().split('\n').at(-1) ?? '');
    expect([done.code, result]).toMatchObject([
      0,
      { status: 'done', output: { error: { code: expect.stringMatching(/^(?:INDEX_UNAVAILABLE|ADAPTER_MISSING)$/) } } },
    ]);
  });

  it('accepts --user, which other workflows ignore, so a config file can set it for all', async () => {
    const cwd = folder();
    const asked = await command(cwd, ['run', 'guide-agent', request, '--user', 'ada', '--json']);
    expect([asked.code, asked.stdout + asked.stderr]).toEqual([3, expect.stringContaining('run-start')]);
    for (const workflow of ['tool-agent', 'plan-execute', 'chat-agent'])
      expect((await command(cwd, ['run', workflow, '6*7', '--user', 'ada'])).code).toBe(0);
  });

  it("carries out an approved plan in another process, and remembers the user's preference", async () => {
    const cwd = folder();
    const asked = await ownProcess(cwd, ['run', 'guide-agent', `${request}. 무료로 하고 싶어`]);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const done = await ownProcess(cwd, ['send', runId, 'APPROVE', '--interrupt', interruptIn(asked.stderr)]);
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/추천: /)]);
    const again = await command(cwd, ['send', runId, 'APPROVE', '--interrupt', interruptIn(asked.stderr)]);
    expect([again.code, again.stdout]).toEqual([0, done.stdout]); // the same answer to the same question
    const other = await command(cwd, ['send', runId, 'CANCEL', '--interrupt', interruptIn(asked.stderr)]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('answered with APPROVE')]);

    const list = await command(cwd, ['memory', 'list', '--json']);
    const memories = list.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(memories).toMatchObject([{ kind: 'preference', text: expect.stringContaining('무료') }]);
    expect((await command(cwd, ['memory', 'list'])).stdout).toContain('in use'); // a sentence of the user
    expect((await command(cwd, ['memory', 'release'])).code).toBe(2);
    expect((await command(cwd, ['memory', 'release', '--all'])).stderr).toBe('0 released.\n');
    expect((await command(cwd, ['memory', 'list', '--user', 'other'])).stdout).toBe('No memories.\n');
    expect((await command(cwd, ['memory', 'forget'])).code).toBe(2);
    expect((await command(cwd, ['memory', 'forget', memories[0].id])).stderr).toBe('1 forgotten.\n');
    expect((await command(cwd, ['memory', 'list'])).stdout).toBe('No memories.\n');
  });

  it('resumes with other flags only after --accept-changes, and reports the changes', async () => {
    const cwd = folder();
    const asked = await command(cwd, ['run', 'guide-agent', request]);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const answer = ['send', runId, 'APPROVE', '--interrupt', interruptIn(asked.stderr), '--allow-egress'];
    const refused = await command(cwd, answer);
    expect([refused.code, refused.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringMatching(/OFFER_CHANGED: .*limit "allowEgress" was false, is true\. .*accept the changes with --accept-changes/),
    ]);
    const done = await command(cwd, [...answer, '--accept-changes']);
    expect([done.code, done.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringContaining('resumes with changes: limit "allowEgress" was false, is true'),
    ]);
  });

  it('rejects an approval without the id, an empty request and an approval of an older plan', async () => {
    const cwd = folder();
    const asked = await command(cwd, ['run', 'guide-agent', request]);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const first = interruptIn(asked.stderr);
    const blind = await command(cwd, ['send', runId, 'APPROVE']);
    expect([blind.code, blind.stderr]).toEqual([2, expect.stringMatching(/revision 1[\s\S]*send r_\w+ APPROVE --interrupt i_/)]);
    const wish = await command(cwd, ['send', runId, 'REVISE', `{"feedback":"don't"}`]);
    expect([wish.code, wish.stderr]).toEqual([2, expect.stringContaining(`REVISE '{"feedback":"don'\\''t"}' --interrupt ${first}\n`)]);
    expect((await command(cwd, ['send', runId, 'REVISE'])).stderr).toContain(`REVISE '{"feedback":"…"}' --interrupt ${first}\n`);
    const empty = await command(cwd, ['send', runId, 'REVISE', '{"feedback":" "}', '--interrupt', first]);
    expect([empty.code, empty.stderr]).toEqual([
      1,
      expect.stringContaining('EVENT_INVALID: The event REVISE is invalid: feedback: it is blank.\n'),
    ]);
    const edited = await command(cwd, ['send', runId, 'EDIT', '{"sub_tasks":["대본 쓰기"]}', '--interrupt', first]);
    expect([edited.code, edited.stderr]).toEqual([3, expect.stringMatching(/revision 2:\n {2}1\. 대본 쓰기\n/)]);
    const stale = await command(cwd, ['send', runId, 'APPROVE', '--interrupt', first]);
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('INTERRUPT_ANSWERED')]);
    expect(stale.stderr + edited.stderr).not.toContain('tool_executor');
  });

  it('exits with 0 after a cancellation', async () => {
    const cwd = folder();
    const asked = await command(cwd, ['run', 'guide-agent', request]);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const { code, stdout } = await command(cwd, ['send', runId, 'CANCEL', '--interrupt', interruptIn(asked.stderr)]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('취소했습니다')]);
    expect((await command(cwd, ['memory', 'list'])).stdout).toBe('No memories.\n');
  });
});

describe('the store of memories', () => {
  it.each([
    [['run', 'guide-agent', 'q', '--store', 'faiss'], 'faiss cannot store memories'],
    [['memory', 'list', '--store', 'faiss'], 'Allowed choices are sqlite, chroma'],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await command(folder(), args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('askReview', () => {
  afterEach(() => vi.restoreAllMocks());

  const interrupt: Interrupt = {
    id: 'i_1',
    key: 'human_review#1',
    accepts: ['APPROVE', 'REVISE', 'EDIT', 'CANCEL'],
    question: { revision: 1, sub_tasks: ['a', 'b'], notice: null },
  };

  /** What becomes of lines that somebody types. */
  async function answerTo(...lines: readonly string[]) {
    return answerOf(interrupt, lines);
  }

  async function answerOf(asked: Interrupt, lines: readonly string[]) {
    const input = new PassThrough();
    const output = new PassThrough();
    output.resume();
    const answer = askReview(asked, { input, output });
    for (const line of lines) {
      await new Promise((done) => setImmediate(done)); // a person answers after the question
      input.write(`${line}\n`);
    }
    input.end();
    return answer;
  }

  it.each([
    [['a'], { type: 'APPROVE' }],
    [['approve'], { type: 'APPROVE' }],
    [['승인'], { type: 'APPROVE' }],
    [['c'], { type: 'CANCEL' }],
    [['취소'], { type: 'CANCEL' }],
    [['r', 'add subtitles'], { type: 'REVISE', feedback: 'add subtitles' }],
    [['e', 'write', 'publish', ''], { type: 'EDIT', sub_tasks: ['write', 'publish'] }],
    // free text is a wish, whatever it sounds like
    [['looks good, go ahead'], { type: 'REVISE', feedback: 'looks good, go ahead' }],
    [['yes'], { type: 'REVISE', feedback: 'yes' }],
    [['응 승인할게'], { type: 'REVISE', feedback: '응 승인할게' }],
    [['approve everything'], { type: 'REVISE', feedback: 'approve everything' }],
    // nothing said is nothing answered
    [['', 'e', '', 'a'], { type: 'APPROVE' }],
  ])('reads %j as %j', async (lines, event) => {
    expect(await answerTo(...lines)).toEqual(event);
  });

  describe('about several calls', () => {
    const call = (key: string) => ({ key, tool: 'pay', arguments: { key }, reason: 'it pays', notice: null });
    const calls = ['call_0', 'call_1', 'call_2'].map(call);
    const { key: _, ...first } = call('call_0');
    const several: Interrupt = {
      id: 'i_2',
      key: 'tool_review#1',
      accepts: ['APPROVE', 'EDIT', 'REJECT', 'DECIDE'],
      question: { ...first, more: 2, calls },
    };
    const decided = (...decisions: readonly unknown[]) => ({
      type: 'DECIDE',
      decisions: Object.fromEntries(decisions.map((decision, index) => [`call_${index}`, decision])),
    });

    it.each([
      [['a'], decided('approve', 'approve', 'approve')],
      [['r', 'too much'], decided({ reject: 'too much' }, { reject: 'too much' }, { reject: 'too much' })],
      [['yes', 'o', 'a', 'r', 'no', 'e', '{"key":"z"}'], decided('approve', { reject: 'no' }, { arguments: { key: 'z' } })],
    ])('reads %j as one answer for all', async (lines, event) => {
      expect(await answerOf(several, lines)).toEqual(event);
    });

    it('gives no answer when the input ends in the middle', async () => {
      expect(await answerOf(several, ['o', 'a'])).toBeUndefined();
    });

    it('lists all of them with their arguments', () => {
      const text = describeReview(several).join('\n');
      expect(text).toContain('3 calls wait for your approval:');
      for (const { key } of calls) expect(text).toContain(`"key": "${key}"`);
    });
  });

  it('gives no answer when the input ends', async () => {
    expect(await answerTo()).toBeUndefined();
    expect(await answerTo('r')).toBeUndefined();
  });
});
