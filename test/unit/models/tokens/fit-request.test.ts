import type { ChatMessage, ChatRequest, ModelTool } from 'agent-machines';
import { boundMessageTokens, checkContext, fitRequest, frameTokens, requestTokens } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../../../fixtures/share.ts';

const tokensOf = (messages: readonly ChatMessage[]): number => messages.reduce((sum, message) => sum + boundMessageTokens(message), 0);
const request = (messages: readonly ChatMessage[], more: Partial<ChatRequest> = {}): ChatRequest => ({ task: 't.t', messages, ...more });
const system: ChatMessage = { role: 'system', content: 'Answer the user.' };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const file = (bytes: number, mediaType = 'image/png') => ({ mediaType, data: 'A'.repeat((bytes / 3) * 4) });
const shown = (content: string, bytes: number, mediaType?: string): ChatMessage => ({
  role: 'user',
  content,
  files: [file(bytes, mediaType)],
});
const tool = (name: string): ModelTool => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} } });

describe('fitRequest', () => {
  it('leaves a request that fits unchanged', () => {
    const asked = request([system, user('hi')]);
    expect(fitRequest(asked, 1_000)).toBe(asked);
  });

  it('cuts long messages, but not the question or short ones', () => {
    const question = user('What was in that file?');
    const asked = request([system, user('A short one.'), { role: 'assistant', content: 'word '.repeat(50_000) }, question]);
    const { messages } = fitRequest(asked, 4_000);
    expect([messages[0], messages[1], messages[3]]).toEqual([system, user('A short one.'), question]);
    expect(messages[2]?.content).toMatch(/characters left out/);
    expect(tokensOf(messages)).toBeLessThanOrEqual(requestTokens(4_000));
  });

  it('omits the oldest messages and states their number when cutting is not enough', () => {
    const talk = Array.from({ length: 400 }, (_, i) => user(`Message ${i}. ${'It is long enough to be cut. '.repeat(20)}`));
    const { messages } = fitRequest(request([system, ...talk]), 2_000);
    const [first, ...rest] = messages;
    expect(first?.content).toMatch(/^Answer the user\.\n\n\[… \d+ earlier messages left out …\]$/);
    expect(Number(/\d+/.exec(first?.content ?? '')?.[0])).toBe(400 - rest.length);
    expect(rest.at(-1)).toEqual(talk.at(-1));
    expect(tokensOf(messages)).toBeLessThanOrEqual(requestTokens(2_000));
  });

  it.each<[string, string, number, number]>([
    ['image/png', 'an icon', 4_000, 500],
    ['image/jpeg', 'a picture', 120_000, 1_100],
    ['image/webp', 'a photograph', 900_000, 1_600],
    ['application/pdf', 'a letter', 30_000, 2_500],
    ['application/pdf', 'a book', 3_900_000, 50_000],
    ['audio/mpeg', 'a minute of sound', 480_000, 1_920],
  ])('counts %s: %s', (mediaType, _, bytes, tokens) => {
    expect(boundMessageTokens(shown('', bytes, mediaType)) - boundMessageTokens(user(''))).toBe(tokens);
  });

  it('describes as few of the oldest pictures as needed, but none of the question', () => {
    const talk = Array.from({ length: 5 }, (_, i) => shown(`Picture ${i}.`, 900_000));
    const question = shown('And this one?', 900_000);
    const { messages } = fitRequest(request([system, ...talk, question]), 8_000);
    const seen = messages.map((message) => (message.role === 'user' ? (message.files?.length ?? 0) : 0));
    expect(seen).toEqual([0, 0, 0, 0, 1, 1, 1]);
    expect(messages[1]?.content).toBe('Picture 0.\n[attached: image/png, 900000 bytes]');
    expect(messages.at(-1)).toEqual(question);
    expect(tokensOf(messages)).toBeLessThanOrEqual(requestTokens(8_000));
  });

  it('describes the oldest pictures of tool results, after those of earlier messages', () => {
    const result = (callId: string): ChatMessage => ({ role: 'tool', callId, content: callId, files: [file(900_000)] });
    const question = shown('Compare them.', 900_000);
    const asked = [system, shown('Before', 900_000), question, ...['a', 'b', 'c', 'd'].map(result)];
    const { messages } = fitRequest(request(asked), 8_000);
    expect(messages.map((message) => 'files' in message)).toEqual([false, false, true, false, false, true, true]);
    expect(messages[3]).toEqual({ role: 'tool', callId: 'a', content: 'a\n[attached: image/png, 900000 bytes, not shown]' });
    expect(tokensOf(messages)).toBeLessThanOrEqual(requestTokens(8_000));
  });

  it('rejects a question whose pictures alone are too large', () => {
    const question: ChatMessage = { role: 'user', content: 'q', files: Array.from({ length: 8 }, () => file(900_000)) };
    expect(() => fitRequest(request([system, question]), 8_000)).toThrow(expect.objectContaining({ code: 'CONTEXT_TOO_SMALL' }));
  });

  it('keeps arguments of calls valid JSON', () => {
    const call = { id: 'a', name: 'write_file', arguments: JSON.stringify({ text: 'x'.repeat(100_000) }) };
    const { messages } = fitRequest(
      request([
        system,
        user('Write it.'),
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', callId: 'a', content: 'ok' },
      ]),
      2_000,
    );
    const [, , asked] = messages;
    expect(asked?.role === 'assistant' && asked.toolCalls?.map(({ arguments: args }) => JSON.parse(args))).toEqual([
      { left_out: `${call.arguments.length} characters` },
    ]);
  });

  it('counts tools and the form of the reply', () => {
    const tools = Array.from({ length: 30 }, (_, i) => tool(`tool_${i}`));
    const asked = request([system, user('word '.repeat(3_000))], { tools });
    expect(tokensOf(fitRequest(asked, 4_000).messages)).toBeLessThanOrEqual(requestTokens(4_000) - frameTokens(asked));
    expect(() => fitRequest(asked, 1_000)).toThrow(expect.objectContaining({ code: 'CONTEXT_TOO_SMALL' }));
  });

  it('fits any conversation or throws, and keeps calls with their results', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc
        .tuple(fc.constantFrom('가나다라', 'word ', '😀', 'aB9/', '한 문장. ', '{"a":[1,2]},'), fc.nat(2_000))
        .map(([one, n]) => one.repeat(n)),
    );
    const round = fc
      .tuple(text, fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }))
      .map(([content, results]): ChatMessage[] => [
        {
          role: 'assistant',
          content,
          toolCalls: results.map(([args], i) => ({ id: `c${i}`, name: 'look', arguments: JSON.stringify(args) })),
        },
        ...results.map(([, result], i): ChatMessage => ({ role: 'tool', callId: `c${i}`, content: result })),
      ]);
    const plain = fc
      .tuple(fc.constantFrom('user' as const, 'assistant' as const), text)
      .map(([role, content]): ChatMessage[] => [{ role, content }]);
    const talk = fc.tuple(text, fc.array(fc.oneof(plain, round), { maxLength: 12 }), text, fc.array(round, { maxLength: 3 }));
    const seen = { fits: 0, cut: 0, refused: 0, leftOut: 0 };
    fc.assert(
      fc.property(talk, fc.integer({ min: 1_000, max: 20_000 }), ([prompt, before, question, after], contextTokens) => {
        const asked = request([{ role: 'system', content: prompt }, ...before.flat(), user(question), ...after.flat()], {
          tools: [tool('look')],
        });
        let fitted: ChatRequest;
        try {
          fitted = fitRequest(asked, contextTokens);
        } catch (error) {
          expect(error).toMatchObject({ code: 'CONTEXT_TOO_SMALL' });
          expect(contextTokens).toBeLessThan(2_500); // only where a round of four calls does not fit
          seen.refused++;
          return;
        }
        const { messages } = fitted;
        expect(tokensOf(messages) + frameTokens(fitted)).toBeLessThanOrEqual(requestTokens(contextTokens));
        expect(fitRequest(fitted, contextTokens)).toBe(fitted);
        seen[fitted === asked ? 'fits' : 'cut']++;
        if (messages.length < asked.messages.length) seen.leftOut++;
        messages.forEach((message, i) => {
          expect(message.content.isWellFormed() || !asked.messages.every(({ content }) => content.isWellFormed())).toBe(true);
          if (message.role !== 'assistant' || !message.toolCalls) return;
          const results = messages.slice(i + 1, i + 1 + message.toolCalls.length);
          expect(results.map((one) => one.role === 'tool' && one.callId)).toEqual(message.toolCalls.map(({ id }) => id));
          for (const call of message.toolCalls) JSON.parse(call.arguments);
        });
        expect(messages.filter(({ role }) => role === 'tool').length).toBe(
          messages.reduce((sum, one) => sum + (one.role === 'assistant' ? (one.toolCalls?.length ?? 0) : 0), 0),
        );
        expect(messages.some(({ role }) => role === 'user')).toBe(true);
      }),
      { numRuns: share(300, 120), endOnFailure: true },
    );
    expect(Math.min(seen.fits, seen.cut, seen.leftOut)).toBeGreaterThan(3);
  });
});

describe('checkContext', () => {
  it('rejects a context that instructions and tools fill', () => {
    const tools = Array.from({ length: 40 }, (_, i) => tool(`tool_${i}`));
    expect(() => checkContext({ messages: [system], tools }, 2_000)).toThrow(expect.objectContaining({ code: 'CONTEXT_TOO_SMALL' }));
    expect(() => checkContext({ messages: [system], tools }, 8_000)).not.toThrow();
  });
});
