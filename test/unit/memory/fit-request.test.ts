import type { ChatMessage, ChatRequest, ModelTool } from 'agent-machines';
import { boundMessageTokens, checkContext, fitRequest, frameTokens, requestTokens } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const tokensOf = (messages: readonly ChatMessage[]): number => messages.reduce((sum, message) => sum + boundMessageTokens(message), 0);
const request = (messages: readonly ChatMessage[], more: Partial<ChatRequest> = {}): ChatRequest => ({ task: 't.t', messages, ...more });
const system: ChatMessage = { role: 'system', content: 'Answer the user.' };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const tool = (name: string): ModelTool => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} } });

describe('fitRequest', () => {
  it('leaves a request that fits as it is', () => {
    const asked = request([system, user('hi')]);
    expect(fitRequest(asked, 1_000)).toBe(asked);
  });

  it('cuts what is long, and neither the question nor what is short', () => {
    const question = user('What was in that file?');
    const asked = request([system, user('A short one.'), { role: 'assistant', content: 'word '.repeat(50_000) }, question]);
    const { messages } = fitRequest(asked, 4_000);
    expect([messages[0], messages[1], messages[3]]).toEqual([system, user('A short one.'), question]);
    expect(messages[2]?.content).toMatch(/characters left out/);
    expect(tokensOf(messages)).toBeLessThanOrEqual(requestTokens(4_000));
  });

  it('leaves the oldest messages out when cutting is not enough, and says how many', () => {
    const talk = Array.from({ length: 400 }, (_, i) => user(`Message ${i}. ${'It is long enough to be cut. '.repeat(20)}`));
    const { messages } = fitRequest(request([system, ...talk]), 2_000);
    const [first, ...rest] = messages;
    expect(first?.content).toMatch(/^Answer the user\.\n\n\[… \d+ earlier messages left out …\]$/);
    expect(Number(/\d+/.exec(first?.content ?? '')?.[0])).toBe(400 - rest.length);
    expect(rest.at(-1)).toEqual(talk.at(-1));
    expect(tokensOf(messages)).toBeLessThanOrEqual(requestTokens(2_000));
  });

  it('keeps arguments of calls JSON', () => {
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

  it('fits any conversation, or says that it does not; calls and results stay together', () => {
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
      { numRuns: 100, endOnFailure: true },
    );
    expect(Math.min(seen.fits, seen.cut, seen.leftOut)).toBeGreaterThan(3);
  });
});

describe('checkContext', () => {
  it('refuses a context that instructions and tools fill', () => {
    const tools = Array.from({ length: 40 }, (_, i) => tool(`tool_${i}`));
    expect(() => checkContext({ messages: [system], tools }, 2_000)).toThrow(expect.objectContaining({ code: 'CONTEXT_TOO_SMALL' }));
    expect(() => checkContext({ messages: [system], tools }, 8_000)).not.toThrow();
  });
});
