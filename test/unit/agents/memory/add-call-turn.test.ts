import type { ChatMessage } from 'agent-machines';
import { addCallTurn, type CallTurnWindow } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../../../fixtures/share.ts';

const window = { maxTurns: 10, maxChars: 4_000, maxCallChars: 2_000, maxAllCallsChars: 20_000 };

const calling = (...ids: readonly string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'rows', arguments: '{}' })),
});
const result = (callId: string, content = 'a row'): ChatMessage => ({ role: 'tool', callId, content });
const content = 'AAAA'.repeat(5_000);
const withFiles = (count: number, message: ChatMessage): ChatMessage =>
  message.role === 'tool' ? { ...message, files: Array(count).fill({ mediaType: 'image/png', data: content }) } : message;
const turn = (question: string, ...messages: readonly ChatMessage[]) => ({ question, messages, answer: `${question}!` });
const say = (role: 'user' | 'assistant', content: string): ChatMessage => ({ role, content });

/** Calls by the place of their message, with the ids of the results right after it. */
const pairsOf = (messages: readonly ChatMessage[]) =>
  messages.flatMap((message, at) => {
    if (message.role !== 'assistant' || !message.toolCalls) return [];
    const end = messages.findIndex((later, index) => index > at && later.role !== 'tool');
    const results = messages.slice(at + 1, end).map((later) => (later.role === 'tool' ? later.callId : ''));
    return [{ calls: message.toolCalls.map(({ id }) => id), results }];
  });

describe('addCallTurn', () => {
  it('keeps question, calls, results and answer, in order', () => {
    const messages = addCallTurn([], turn('Show two rows', calling('a', 'b'), result('a'), result('b')), window);
    expect(messages).toEqual([
      say('user', 'Show two rows'),
      calling('a', 'b'),
      result('a'),
      result('b'),
      say('assistant', 'Show two rows!'),
    ]);
  });

  it('leaves out replies that are no answer, what was said about them, and calls without all results', () => {
    const made = [say('assistant', 'no JSON'), say('user', 'Answer again'), calling('a', 'b'), result('a'), calling('c'), result('c')];
    const kept = addCallTurn([], turn('q', ...made, say('assistant', 'q!')), window);
    expect(kept).toEqual([say('user', 'q'), calling('c'), result('c'), say('assistant', 'q!')]);
  });

  it('renames calls whose id the thread has, with their results', () => {
    const one = addCallTurn([], turn('1', calling('call_0'), result('call_0'), calling('call_0'), result('call_0')), window);
    const two = addCallTurn(one, turn('2', calling('call_0'), result('call_0')), window);
    expect(pairsOf(two).map(({ calls }) => calls)).toEqual([['call_0'], ['call_0_2'], ['call_0_3']]);
    expect(pairsOf(two).every(({ calls, results }) => calls.join() === results.join())).toBe(true);
  });

  it('cuts a result, and arguments to other JSON', () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'a', name: 'write', arguments: JSON.stringify({ text: 'x'.repeat(3_000) }) }],
    };
    const [, calls, cut] = addCallTurn([], turn('q', call, result('a', 'y'.repeat(2_500))), window);
    expect(cut).toEqual(result('a', `${'y'.repeat(2_000)} … (500 more characters)`));
    const made = calls?.role === 'assistant' ? calls.toolCalls?.[0]?.arguments : undefined;
    expect(JSON.parse(made ?? '')).toEqual({ shortened: expect.stringMatching(/^\{"text":"x+ … \(1011 more characters\)$/) });
  });

  it('names the files of a result', () => {
    const [, , kept] = addCallTurn([], turn('q', calling('a'), withFiles(1, result('a'))), window);
    expect(kept).toEqual(result('a', 'a row\n[attached: image/png, 15000 bytes, not shown]'));
  });

  it('drops the calls of the oldest turns first, and keeps their questions and answers', () => {
    let messages: readonly ChatMessage[] = [];
    for (const question of ['1', '2', '3', '4'])
      messages = addCallTurn(messages, turn(question, calling('a'), result('a', 'z'.repeat(1_000))), {
        ...window,
        maxAllCallsChars: 2_600,
      });
    expect(messages.map(({ role }) => role).join()).toBe(
      'user,assistant,user,assistant,user,assistant,tool,assistant,user,assistant,tool,assistant',
    );
    expect(addCallTurn([], turn('q', calling('a'), result('a')), { ...window, maxAllCallsChars: 0 })).toHaveLength(2);
  });

  it('keeps pairs, ids and limits, whatever the turns are', () => {
    const ids = fc.constantFrom('a', 'b', 'call_0', 'call_0_2');
    const unit = fc.oneof(
      fc
        .uniqueArray(ids, { minLength: 1, maxLength: 3 })
        .chain((calls) => fc.tuple(fc.constant(calls), fc.shuffledSubarray(calls), fc.integer({ min: 0, max: 300 })))
        .map(([calls, answered, length]) => [
          calling(...calls),
          ...answered.map((id) => withFiles(length % 3, result(id, 'r'.repeat(length)))),
        ]),
      fc.constant([say('assistant', 'hm'), say('user', 'again')]),
    );
    const turns = fc.array(fc.array(unit, { maxLength: 4 }), { minLength: 1, maxLength: 8 });
    const windows = fc.record({ maxTurns: fc.integer({ min: 1, max: 5 }), maxAllCallsChars: fc.integer({ min: 0, max: 2_000 }) });
    fc.assert(
      fc.property(turns, windows, (made, some) => {
        const limits: CallTurnWindow = { ...window, maxCallChars: 200, ...some };
        let messages: readonly ChatMessage[] = [];
        for (const [index, units] of made.entries()) messages = addCallTurn(messages, turn(`q${index}`, ...units.flat()), limits);
        const questions = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
        expect(questions).toEqual(made.map((_, index) => `q${index}`).slice(-limits.maxTurns));
        const pairs = pairsOf(messages);
        for (const { calls, results } of pairs) expect([...results].sort()).toEqual([...calls].sort());
        const all = pairs.flatMap(({ calls }) => calls);
        expect(new Set(all).size).toBe(all.length);
        const size = messages
          .filter((message) => message.role === 'tool' || 'toolCalls' in message)
          .map((one) => JSON.stringify(one).length);
        expect(JSON.stringify(messages)).not.toContain(content);
        expect(size.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(limits.maxAllCallsChars);
      }),
      { numRuns: share(1_000, 200) },
    );
  });
});
