import { noTaint, type Tool, toErrorInfo, type ValidatedCall } from 'agent-machines';
import {
  type CallsResult,
  type ExecuteCallsOptions,
  executeCalls,
  type FailedCall,
  parseToolCall,
  type SucceededCall,
  toolMessage,
} from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { callEnd } from '../../../fixtures/call-end.ts';
import { drain, echo, harmless, held, textTool } from '../../../fixtures/text-tools.ts';

/** Calls in the form `tool text`; their ids repeat, as a model's do. */
const callsOf = (tools: readonly Tool[], ...calls: readonly string[]): readonly ValidatedCall[] =>
  calls.map((call) => {
    const [name = '', text = ''] = call.split(' ');
    return parseToolCall({ id: 'call', name, arguments: JSON.stringify({ text }) }, { tools });
  });

const run = (tools: readonly Tool[], calls: readonly string[], more: Partial<ExecuteCallsOptions> = {}): Promise<CallsResult> =>
  executeCalls(callsOf(tools, ...calls), { tools, ...more });

const outline = ({ results, held }: CallsResult): readonly string[] => [
  ...results.map((past) => `${past.call.name} ${past.status} ${callEnd(past)}`),
  ...held.map(({ tool, status, reasons }) => `${tool} ${status} ${reasons.join()}`),
];

const holdsPrivate = { private: true, untrusted: false, user: false };

const past = (signature: string, more: Partial<SucceededCall> = {}): SucceededCall => ({
  status: 'success',
  output: 'earlier',
  startedAt: 0,
  durationMs: 1,
  attempts: 1,
  signature,
  deduplicated: false,
  ...more,
});

const failed = (signature: string): FailedCall => ({
  ...{ status: 'failure', error: toErrorInfo(new Error('no')), startedAt: 0 },
  ...{ durationMs: 1, attempts: 1, signature, deduplicated: false },
});

describe('executeCalls', () => {
  it('makes each call, and records its outcome', async () => {
    const tool = echo();
    const calls = callsOf([tool], 'echo a', 'echo b');
    const { results, held, taint } = await executeCalls(calls, { tools: [tool] });
    expect(results).toEqual([
      {
        call: { id: 'call', name: 'echo', args: { text: 'a' } },
        status: 'success',
        output: 'echo a',
        startedAt: expect.any(Number),
        durationMs: expect.any(Number),
        attempts: 1,
        signature: 'echo:{"text":"a"}',
        deduplicated: false,
      },
      expect.objectContaining({ output: 'echo b' }),
    ]);
    expect(results.map(({ call }) => call)).toEqual(calls);
    expect({ held, taint }).toEqual({ held: [], taint: noTaint });
    expect(JSON.parse(JSON.stringify(results))).toEqual(results);
  });

  it('makes no call for an empty list', async () => {
    expect(await executeCalls([], { tools: [] })).toEqual({ results: [], held: [], remaining: [], taint: noTaint });
  });

  it('makes no call at all if one of them did not come from parseToolCall', async () => {
    const tool = echo();
    const [call, other] = callsOf([tool], 'echo a', 'echo b');
    if (!call || !other) throw new Error('There are no calls.');
    const forged: readonly ValidatedCall[] = [{ ...other }, structuredClone(other), Object.create(other) as ValidatedCall];
    for (const each of forged) {
      await expect(executeCalls([call, each], { tools: [tool] })).rejects.toMatchObject({
        code: 'TOOL_CALL_INVALID',
        message: expect.stringContaining('"echo"'),
        hint: expect.stringContaining('parseToolCall'),
      });
    }
    expect(tool.asked).toEqual([]);
  });

  it('makes calls concurrently, and returns the results in their order', async () => {
    const tool = held();
    const done = run([tool], ['held a', 'held b', 'held c']);
    await drain();
    expect(tool.texts()).toEqual(['a', 'b', 'c']);
    for (const call of [...tool.calls].reverse()) {
      call.resolve(call.text);
      await drain();
    }
    expect(outline(await done)).toEqual(['held success a', 'held success b', 'held success c']);
  });

  it('respects its concurrency', async () => {
    const tool = held();
    const done = run([tool], ['held a', 'held b', 'held c'], { concurrency: 2 });
    await drain();
    expect(tool.texts()).toEqual(['a', 'b']);
    tool.calls[0]?.resolve(null);
    tool.calls[1]?.resolve(null);
    await drain();
    expect(tool.texts()).toEqual(['a', 'b', 'c']);
    tool.calls[2]?.resolve(null);
    expect((await done).results).toHaveLength(3);
  });

  it('makes eight calls at once by default', async () => {
    const tool = held();
    const done = run(
      [tool],
      Array.from({ length: 9 }, (_, i) => `held ${i}`),
    );
    await drain();
    expect(tool.calls).toHaveLength(8);
    for (const call of tool.calls) call.resolve(null);
    await drain();
    expect(tool.calls).toHaveLength(9);
    tool.calls[8]?.resolve(null);
    expect((await done).results).toHaveLength(9);
  });

  it('starts another call as soon as any call ends', async () => {
    const tool = held();
    const done = run(
      [tool],
      Array.from({ length: 10 }, (_, i) => `held ${i}`),
    );
    await drain();
    for (const [ended, begun] of [
      [7, 9],
      [8, 10],
    ] as const) {
      tool.calls[ended]?.resolve(null);
      await drain();
      expect(tool.calls).toHaveLength(begun);
    }
    for (const call of tool.calls) call.resolve(null);
    expect((await done).results).toHaveLength(10);
  });

  it.each(['once', undefined] as const)('makes calls one after the other if one of them is once (effect %s)', async (effect) => {
    const tool = held();
    const send = held('send', { effect });
    const done = run([tool, send], ['held a', 'send b', 'held c']);
    await drain();
    expect([tool.texts(), send.texts()]).toEqual([['a'], []]);
    tool.calls[0]?.resolve(null);
    await drain();
    expect([tool.texts(), send.texts()]).toEqual([['a'], ['b']]);
    send.calls[0]?.resolve(null);
    await drain();
    expect(tool.texts()).toEqual(['a', 'c']);
    tool.calls[1]?.resolve(null);
    expect((await done).results).toHaveLength(3);
  });

  it('keeps the other results if one call fails', async () => {
    const broken = textTool('broken', () => Promise.reject('no'));
    expect(outline(await run([echo(), broken], ['echo a', 'broken b', 'echo c']))).toEqual([
      'echo success echo a',
      'broken failure TOOL_FAILED',
      'echo success echo c',
    ]);
  });

  it('fails calls of missing or unavailable tools', async () => {
    const calls = callsOf([echo('gone'), echo('closed')], 'gone a', 'closed b');
    const result = await executeCalls(calls, { tools: [echo('closed', { unavailable: 'No key.' })] });
    expect(outline(result)).toEqual(['gone failure TOOL_UNKNOWN', 'closed failure TOOL_UNAVAILABLE']);
  });

  it('makes equal calls once, whatever their ids', async () => {
    const tool = held();
    const done = run([tool], ['held a', 'held b', 'held a']);
    await drain();
    expect(tool.texts()).toEqual(['a', 'b']);
    tool.calls[0]?.resolve('A');
    tool.calls[1]?.resolve('B');
    const result = await done;
    expect(outline(result)).toEqual(['held success A', 'held success B', 'held success A']);
    expect(result.results.map(({ deduplicated }) => deduplicated)).toEqual([false, false, true]);
  });

  it('reuses a successful call, and repeats a failed one', async () => {
    const tool = echo();
    const history = [past('echo:{"text":"a"}'), failed('echo:{"text":"b"}')];
    const result = await run([tool], ['echo a', 'echo b'], { history });
    expect(outline(result)).toEqual(['echo success earlier', 'echo success echo b']);
    expect(result.results.map(({ deduplicated }) => deduplicated)).toEqual([true, false]);
    expect(tool.asked).toEqual(['b']);
  });

  it('makes each call a separate step', async () => {
    const keys: string[] = [];
    const io: NonNullable<ExecuteCallsOptions['io']> = {
      emit: () => {},
      step(key, work) {
        keys.push(key);
        return work({ number: 1, idempotencyKey: key, signal: new AbortController().signal });
      },
    };
    await run([echo()], ['echo a', 'echo b', 'echo c'], { io, concurrency: 2 });
    expect(keys).toEqual(['call_0', 'call_1', 'call_2']);
  });

  it('stops every call at an abort, and throws its reason', async () => {
    const tool = held();
    const stop = new AbortController();
    const reason = new Error('enough');
    const done = run([tool], ['held a', 'held b', 'held c'], { signal: stop.signal, concurrency: 2 });
    await drain();
    stop.abort(reason);
    await expect(done).rejects.toBe(reason);
    expect(tool.calls.map(({ context }) => context.signal.reason)).toEqual([reason, reason]);
    expect(tool.texts()).toEqual(['a', 'b']);
  });
});

describe('executeCalls: private data', () => {
  const secret = echo('secret', { capabilities: { ...harmless, private: true } });
  const post = echo('post', { capabilities: { ...harmless, external: true } });
  const tools = [secret, post];

  it('is not sent out by a later batch', async () => {
    const result = await run(tools, ['secret a', 'post b'], { concurrency: 1 });
    expect(outline(result)).toEqual(['secret success secret a', 'post held private']);
    expect(result.taint).toEqual(holdsPrivate);
  });

  it('is ignored for a call of the same batch, which the model wrote before it', async () => {
    const result = await run(tools, ['secret a', 'post b']);
    expect(outline(result)).toEqual(['secret success secret a', 'post success post b']);
    expect(result.taint).toEqual(holdsPrivate);
  });

  it('counts from the start if the thread has it, unless sending is allowed', async () => {
    expect(outline(await run(tools, ['post a'], { taint: holdsPrivate }))).toEqual(['post held private']);
    expect(outline(await run(tools, ['post a'], { taint: holdsPrivate, allowEgress: true }))).toEqual(['post success post a']);
    expect((await run(tools, ['post a'], { taint: holdsPrivate })).taint).toEqual(holdsPrivate);
  });

  it('comes from a deduplicated or failed call too, if its tool reads private data or does not declare it', async () => {
    const untagged = echo('untagged', { capabilities: undefined });
    const failing = textTool('secret', () => Promise.reject(new Error('no')), { capabilities: { ...harmless, private: true } });
    expect((await run([untagged], ['untagged a'])).taint).toEqual({ private: true, untrusted: true, user: false });
    expect((await run([failing], ['secret a'])).taint).toEqual(holdsPrivate);
    expect((await run([post], ['post a'])).taint).toEqual(noTaint);
    expect((await run(tools, ['secret a'], { history: [past('secret:{"text":"a"}')] })).taint).toEqual(holdsPrivate);
  });
});

describe('executeCalls: approval', () => {
  const ask = () => echo('ask', { effect: 'once', needsApproval: true });

  it('holds a call, makes the rest, and makes the approved call when it resumes', async () => {
    const [tool, other] = [ask(), echo('other')];
    const first = await run([tool, other], ['other b', 'ask a', 'ask c']);
    expect(outline(first)).toEqual(['other success other b', 'ask held declared', 'ask held declared']);
    expect(first.held.map(({ call, args }) => [call.args, args])).toEqual([
      [{ text: 'a' }, { text: 'a' }],
      [{ text: 'c' }, { text: 'c' }],
    ]);
    expect(tool.asked).toEqual([]);
    const approved = first.held.slice(0, 1).map(({ signature }) => signature);
    expect(outline(await run([tool], ['ask a', 'ask c'], { approved }))).toEqual(['ask success ask a', 'ask held declared']);
    expect(tool.asked).toEqual(['a']);
  });

  it('does not make an approved call before a held one that precedes it', async () => {
    const tool = ask();
    const { held, remaining } = await run([tool], ['ask a', 'ask c'], { approved: ['ask:{"text":"c"}'] });
    expect(held).toMatchObject([{ args: { text: 'a' } }]);
    expect(remaining).toMatchObject([{ args: { text: 'c' } }]);
    expect(tool.asked).toEqual([]);
  });

  it('needs a new approval for an equal call that has to be repeated', async () => {
    const failing = textTool('ask', () => Promise.reject(new Error('no')), { effect: 'once', needsApproval: true });
    const approved = ['ask:{"text":"a"}'];
    expect(outline(await run([failing], ['ask a', 'ask a'], { approved }))).toEqual(['ask failure TOOL_FAILED', 'ask held declared']);
    const tool = ask();
    expect(outline(await run([tool], ['ask a', 'ask a'], { approved }))).toEqual(['ask success ask a', 'ask success ask a']);
    expect(tool.asked).toEqual(['a']);
  });

  it('makes no call whose order after a held one matters, and asks about all of them', async () => {
    const [wipe, look] = [echo('wipe', { effect: 'once' }), echo('look')];
    const result = await run([ask(), wipe, look], ['look a', 'ask b', 'wipe c', 'look d', 'ask e']);
    expect(outline(result)).toEqual(['look success look a', 'ask held declared', 'ask held declared']);
    expect(result.remaining).toMatchObject([
      { name: 'wipe', args: { text: 'c' } },
      { name: 'look', args: { text: 'd' } },
    ]);
    expect([wipe.asked, look.asked]).toEqual([[], ['a']]);
  });

  it.each([
    ['capabilities that are not all named', { effect: 'once', capabilities: {} }],
    ['an effect of another name', { effect: 'Once', capabilities: { ...harmless, external: true } }],
    ['a risk of another name', { effect: 'pure', risk: 'HIGH' }],
    ['something else than no', { effect: 'pure', needsApproval: null }],
  ])('is requested by %s', async (_, options) => {
    const odd = echo('odd', options as Parameters<typeof echo>[1]);
    expect((await run([odd], ['odd a'], { taint: { private: false, untrusted: true } })).held).toHaveLength(1);
    expect((await run([odd], ['odd a'], { taint: {} as never })).held).toHaveLength(1);
    expect(odd.asked).toEqual([]);
  });

  it('keeps a repeated call behind the held one whose effect it must see', async () => {
    const [count, add] = [echo('count'), echo('add', { effect: 'idempotent', needsApproval: true })];
    const { results, held, remaining } = await run([count, add], ['count a', 'add a', 'count a']);
    expect([results, held, remaining].map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(remaining).toMatchObject([{ name: 'count' }]);
  });

  it('ignores changes that needsApproval makes to the taint', async () => {
    const page = echo('page', { capabilities: { ...harmless, untrusted: true } });
    const needsApproval: Tool['needsApproval'] = (_, { taint }) => {
      Object.assign(taint, { untrusted: false });
      return false;
    };
    const { taint } = await run([page, echo('ask', { effect: 'once', needsApproval })], ['page a', 'ask b']);
    expect(taint).toEqual({ private: false, untrusted: true, user: false });
  });

  it('answers with an error if no human is available', async () => {
    const { held } = await run([ask()], ['ask a']);
    const [one] = held;
    expect(one && toolMessage('c1', one)).toEqual({
      role: 'tool',
      callId: 'c1',
      content: expect.stringContaining('CALL_NEEDS_APPROVAL: \\"ask\\" waits for approval: the tool requires it.'),
    });
  });
});

describe('executeCalls: fail closed', () => {
  it('checks the arguments against the executed tool', async () => {
    const other = echo('echo', { inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } });
    const result = await executeCalls(callsOf([echo()], 'echo a'), { tools: [other] });
    expect(outline(result)).toEqual(['echo failure TOOL_INPUT_INVALID']);
    expect(other.asked).toEqual([]);
  });

  it('refuses two tools with the same name', async () => {
    const tools = [echo(), echo()];
    await expect(executeCalls(callsOf([echo()], 'echo a'), { tools })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(tools.map(({ asked }) => asked)).toEqual([[], []]);
  });

  it.each([0, -1, 0.5, Number.NaN])('refuses a concurrency of %d', async (concurrency) => {
    const tool = echo();
    await expect(run([tool], ['echo a'], { concurrency })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(tool.asked).toEqual([]);
  });
});
