import { addToTranscript, boundTokens, estimateTokens, recall, recallTokens, type TranscriptMessage } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const hour = 3_600_000;
const talk = (...lines: readonly (readonly [text: string, at?: number])[]): readonly TranscriptMessage[] =>
  lines.map(([text, at = 0], i) => ({ id: `m${i}`, role: i % 2 === 0 ? 'user' : 'assistant', text, at }));

describe('recall', () => {
  const transcript = talk(
    ['We picked up the puppy from the shelter.', 0],
    ['Has it got a name?', 0],
    ['Biscuit, because of her ears.', 0],
    ['Lovely.', 0],
    ['I will fly to Oslo on May 8.', 50 * hour],
    ['Have a good trip.', 50 * hour],
    ['The garden needs water.', 100 * hour],
    ['It will rain.', 100 * hour],
  );

  it('finds a message by its words, and prints it under the date of its session', () => {
    const { text, messageIds } = recall({ query: 'when did I say I would fly to Oslo?', transcript, maxTokens: 40, timeZone: 'UTC' });
    expect(text).toContain('[1970-01-03 Saturday 02:00]\nuser: I will fly to Oslo on May 8.');
    expect(messageIds).toContain('m4');
  });

  it('finds neighbours in the same session only', () => {
    const { messageIds } = recall({ query: 'what is the puppy called?', transcript, maxTokens: 200 });
    expect(messageIds).toEqual(['m0', 'm1', 'm2']);
  });

  it('finds messages by their day', () => {
    expect(recall({ query: '1월 3일', transcript, maxTokens: 30, timeZone: 'UTC' }).messageIds.every((id) => /m[45]/.test(id))).toBe(true);
    expect(recall({ query: 'what happened on Saturday?', transcript, maxTokens: 30, timeZone: 'UTC' }).messageIds).not.toEqual([]);
  });

  it('finds nothing if no word matches, or if there is nothing to search', () => {
    const nothing = { text: '', messageIds: [] };
    expect(recall({ query: 'quantum chromodynamics', transcript, maxTokens: 500 })).toEqual(nothing);
    expect(recall({ query: 'Oslo', transcript: [], maxTokens: 500 })).toEqual(nothing);
    expect(recall({ query: '', transcript, maxTokens: 500 })).toEqual(nothing);
    expect(recall({ query: 'Oslo', transcript, maxTokens: 0 })).toEqual(nothing);
  });

  it('keeps the token limit and the order of time for any input', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('내 강아지', 'fly to Oslo. '.repeat(200), '비행기'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.nat(5)), { maxLength: 30 }), text, fc.nat(300), (lines, query, maxTokens) => {
        let at = 0;
        const transcript = talk(
          ...lines.map(([line, hours]) => {
            at += hours * hour;
            return [line, at] as const;
          }),
        );
        const found = recall({ query, transcript, maxTokens });
        expect(estimateTokens(found.text)).toBeLessThanOrEqual(maxTokens);
        const places = found.messageIds.map((id) => transcript.findIndex((message) => message.id === id));
        expect(places).toEqual([...places].sort((a, b) => a - b));
      }),
    );
  });
});

it('recallTokens grows with the evicted tokens, up to 1,000', () => {
  expect([0, 100, 4_000, 1_000_000].map(recallTokens)).toEqual([0, 15, 600, 1_000]);
});

describe('addToTranscript', () => {
  const message = (id: string, content: string) => ({ id, message: { role: 'user' as const, content } });

  it('adds messages with their time, and skips blank ones', () => {
    expect(addToTranscript([], [message('a', ' hi '), message('b', ' ')], 7)).toEqual([{ id: 'a', role: 'user', text: 'hi', at: 7 }]);
  });

  it('evicts the oldest messages above the limit, and cuts very long ones', () => {
    const all = addToTranscript(talk(['x'.repeat(60)], ['y'.repeat(60)]), [message('c', 'z'.repeat(60))], 1, { maxChars: 130 });
    expect(all.map(({ text }) => text[0])).toEqual(['y', 'z']);
    const [long] = addToTranscript([], [message('d', 'A sentence. '.repeat(20_000))], 1);
    expect(boundTokens(long?.text ?? '')).toBeLessThanOrEqual(8_000);
  });
});
