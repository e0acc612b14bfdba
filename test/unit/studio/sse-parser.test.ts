import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type StreamMessage } from '../../../src/studio/api/sse-parser.ts';

function read(chunks: readonly string[]): readonly StreamMessage[] {
  const messages: StreamMessage[] = [];
  const parse = createSseParser((message) => messages.push(message));
  for (const chunk of chunks) parse(chunk);
  return messages;
}

const stream = ': ok\n\nid: 1.1\nevent: edge\ndata: {"a":1}\n\n: beat\n\ndata: two\r\ndata: lines\r\n\r\nevent: end\ndata: {}\n\n';

describe('createSseParser', () => {
  it('reads messages, and no comments', () => {
    expect(read([stream])).toEqual([
      { event: 'edge', data: '{"a":1}', id: '1.1' },
      { event: 'message', data: 'two\nlines' },
      { event: 'end', data: '{}' },
    ]);
  });

  it('reads the same, however it is cut', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(stream.length)), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), stream.length];
        const chunks = cuts.slice(1).map((to, index) => stream.slice(cuts[index], to));
        expect(read(chunks)).toEqual(read([stream]));
      }),
    );
  });
});
