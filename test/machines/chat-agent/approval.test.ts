// A call of the model that a human has to approve waits; every call gets its answer, in order, whatever was decided.
import { type HumanEvent, memoryStore, type RunResult } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { modelCallsOf } from '../../fixtures/watch-run.ts';
import { calls, policies, says, start, textTool, threadOf, toAgent, toRag } from './helpers.ts';

const email = () => ({ ...textTool('send_email', (text) => `sent ${text}`, { external: true }), effect: 'once' as const });
const look = () => textTool('look', (text) => `saw ${text}`);

/** A turn whose calls wait, and what a human says to them. */
async function turn(script: Parameters<typeof start>[0], options: Parameters<typeof start>[2], ...events: readonly HumanEvent[]) {
  const { model, runtime, run, result: first } = await start(script, 'q', options);
  const questions: unknown[] = [];
  let result: RunResult<unknown> = first;
  for (const event of events) {
    if (result.status !== 'waiting' || !result.interrupt) throw new Error(JSON.stringify(result));
    questions.push(result.interrupt.question);
    result = await (await runtime.send(run.id, event, { interruptId: result.interrupt.id })).result;
  }
  model.assertConsumed();
  const last = model.requests.at(-1)?.messages ?? [];
  const answers = last.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.content]] : []));
  const journal = (await runtime.history(run.id)).flatMap((entry) => entry.events);
  return { result, questions, answers, modelCalls: modelCallsOf(journal) };
}

describe('held calls', () => {
  it('are asked about one at a time while the others run, and keep the order of the answers', async () => {
    const [mail, other] = [email(), look()];
    const asked = calls(
      ['send_email', { text: 'a' }, 'c1'],
      ['look', { text: 'b' }, 'c2'],
      ['send_email', { text: 'c' }, 'c3'],
      ['send_email', { text: 'd' }, 'c4'],
      ['nothing', {}, 'c5'],
    );
    const played = await turn(
      [toRag, asked, says('done')],
      { tools: [mail, other], retriever: policies },
      { type: 'REJECT', reason: 'not to her' },
      { type: 'APPROVE' },
      { type: 'EDIT', arguments: { text: 'D' } },
    );
    expect(played.questions).toMatchObject([
      { tool: 'send_email', arguments: { text: 'a' }, more: 2 },
      { arguments: { text: 'c' }, more: 1 },
      { arguments: { text: 'd' }, more: 0 },
    ]);
    expect([mail.asked, other.asked]).toEqual([['c', 'D'], ['b']]);
    expect(played.answers).toEqual([
      ['c1', expect.stringContaining('CALL_REJECTED: A human rejected the call of \\"send_email\\": not to her.')],
      ['c2', 'saw b'],
      ['c3', 'sent c'],
      ['c4', 'sent D'],
      ['c5', expect.stringContaining('TOOL_UNKNOWN')],
    ]);
    expect(played.result).toMatchObject({ status: 'done', finalState: 'done', output: { answer: 'done' } });
    expect(played.modelCalls).toBe(3); // route, two rounds: asking a human costs none
  });

  it('do not run after approval while a call before them waits, and are asked about once', async () => {
    const asks = (name: string, more: object) => ({ ...textTool(name, (text) => `${name} ${text}`, more), needsApproval: true });
    const fetch = { ...asks('fetch', { untrusted: true }), effect: 'idempotent' as const };
    const backup = { ...textTool('backup', (text) => `kept ${text}`, { external: true }), effect: 'once' as const };
    const wipe = { ...asks('wipe', {}), effect: 'once' as const };
    const batch = calls(['fetch', { text: 'a' }], ['backup', { text: 'b' }], ['wipe', { text: 'c' }]);
    const tools = [fetch, backup, wipe];
    const played = await turn(
      [toAgent, batch, says('done')],
      { tools },
      { type: 'APPROVE' },
      { type: 'EDIT', arguments: { text: 'C' } },
      { type: 'APPROVE' },
    );
    expect(played.questions).toMatchObject([
      { tool: 'fetch', more: 1 },
      { tool: 'wipe', more: 0 },
      { tool: 'backup', reason: expect.stringContaining('untrusted text') },
    ]);
    expect([fetch.asked, backup.asked, wipe.asked]).toEqual([['a'], ['b'], ['C']]);
    expect(played.answers.map(([, content]) => content)).toEqual(['fetch a', 'kept b', 'wipe C']);
  });

  it('are asked about again after an edit that does not fit', async () => {
    const mail = email();
    const played = await turn(
      [toRag, calls(['send_email', { text: 'a' }]), says('done')],
      { tools: [mail], retriever: policies },
      { type: 'EDIT', arguments: { to: 'x' } },
      { type: 'APPROVE' },
    );
    expect(played.questions).toMatchObject([{ notice: null }, { arguments: { text: 'a' }, notice: expect.stringContaining('rejected') }]);
    expect(mail.asked).toEqual(['a']);
  });

  it('are asked about again for an equal call in the next round or turn', async () => {
    const mail = email();
    const store = memoryStore();
    const options = { tools: [mail], retriever: policies, store, threadId: 't' };
    const again = calls(['send_email', { text: 'a' }]);
    const first = await turn([toRag, again, again, says('done')], options, { type: 'APPROVE' }, { type: 'APPROVE' });
    expect([first.questions.length, mail.asked]).toEqual([2, ['a', 'a']]);
    const next = await turn([toAgent, again, says('done')], options, { type: 'REJECT', reason: 'enough' });
    expect([next.questions.length, mail.asked.length]).toEqual([1, 2]);
    // what was decided is in the conversation, and nothing else is left of it
    const { window } = await threadOf(store, 't');
    expect(JSON.stringify(window)).toContain('enough');
  });

  it('keep the thread busy until the answer', async () => {
    const store = memoryStore();
    const options = { tools: [email()], retriever: policies, store, threadId: 't' };
    const { run, runtime } = await start([toRag, calls(['send_email', { text: 'a' }])], 'q', options);
    const { result } = await start([], 'q', options);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'THREAD_BUSY' } });
    await runtime.cancel(run.id);
  });
});
