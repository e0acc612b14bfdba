import { type NodeIo, noTaint, type Tool } from 'agent-machines';
import { answerPendingCalls, type CallingState, checkToolCall, noPendingCalls, toolReviewEvents } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

const made: string[] = [];
const tool = (name: string, needsApproval: boolean): Tool => ({
  name,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
  effect: 'pure',
  capabilities: { private: false, untrusted: false, external: false },
  needsApproval,
  execute: ({ text = '' }) => {
    made.push(`${name} ${text}`);
    return Promise.resolve(`${name} ${text}`);
  },
});
const tools = [tool('look', false), tool('pay', true)];
const { signal } = new AbortController();
const io = {
  runId: 'r',
  signal,
  emit: () => {},
  recorded: [],
  step: (_name: string, work: (attempt: object) => Promise<unknown>) => work({ signal, idempotencyKey: 'key' }),
} as unknown as NodeIo;

const call = (id: string, name: string) => ({ id, name, arguments: JSON.stringify({ text: id }) });
const state: CallingState = {
  ...noPendingCalls,
  pendingCalls: [call('a', 'look'), call('b', 'pay'), call('c', 'nothing')],
  taint: noTaint,
  egressGranted: false,
};
const answer = (from: CallingState) => answerPendingCalls(from, { check: (one) => checkToolCall(one, { tools }), tools, io });

describe('answerPendingCalls', () => {
  it('keeps the calls until all have answers, then returns the answers in order', async () => {
    const waiting = await answer(state);
    expect([waiting.messages, made, 'pendingCalls' in waiting.patch]).toEqual([[], ['look a'], false]);
    expect(waiting.patch.heldCalls).toMatchObject([{ key: 'call_1', tool: 'pay', args: { text: 'b' } }]);

    const asked = { ...state, ...waiting.patch };
    const { patch, messages } = await answer({ ...asked, ...toolReviewEvents.APPROVE.patch(asked) });
    expect(made).toEqual(['look a', 'pay b']);
    expect(messages).toMatchObject([
      { callId: 'a', content: 'look a' },
      { callId: 'b', content: 'pay b' },
      { callId: 'c', content: expect.stringContaining('TOOL_UNKNOWN') },
    ]);
    expect(patch).toMatchObject({ ...noPendingCalls, taint: noTaint });
  });

  it('requests approval again for an invalid edit, with its error', async () => {
    made.length = 0;
    const asked = { ...state, ...(await answer({ ...state, pendingCalls: [call('b', 'pay')] })).patch, pendingCalls: [call('b', 'pay')] };
    const edited = { ...asked, ...toolReviewEvents.EDIT.patch(asked, { type: 'EDIT', arguments: { text: 5 } }) };
    const { patch, messages } = await answer(edited);
    expect([messages, made]).toEqual([[], []]);
    expect(patch.heldCalls).toMatchObject([{ args: { text: 'b' }, notice: expect.stringContaining('text') }]);
  });
});
