import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseDecoder } from '../../../../src/models/openai/server-sent-events.ts';

function read(...pieces: string[]): string[] {
  const decoder = new SseDecoder();
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
}

describe('SseDecoder', () => {
  it('reads the data of each event', () => {
    expect(read('data: a\n\ndata:b\n\n')).toEqual(['a', 'b']);
  });

  it('strips exactly one space', () => {
    expect(read('data:  a \n\n')).toEqual([' a ']);
  });

  it('joins the lines of one event', () => {
    expect(read('data: a\ndata\ndata: b\n\n')).toEqual(['a\n\nb']);
  });

  it('skips comments, other fields and events without data', () => {
    expect(read(': hello\nevent: x\nid: 1\ndatabase: y\n\nevent: z\ndata: a\n\n\n')).toEqual(['a']);
  });

  it('reads a last event without a blank line', () => {
    expect(read('data: a\n\ndata: b')).toEqual(['a', 'b']);
    expect(read('data: a\n\ndata: b\r')).toEqual(['a', 'b']);
  });

  it('reads nothing from an empty stream', () => {
    expect(read()).toEqual([]);
  });

  it('reads the same for any split and any line ends', () => {
    const line = fc.string().map((text) => text.replace(/[\r\n]/g, ''));
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(fc.array(line, { minLength: 1 })), lineEnd, fc.array(fc.nat(12)), (events, end, sizes) => {
        const text = events.map((lines) => [...lines.map((line) => `data: ${line}`), '', ''].join(end)).join('');
        const pieces: string[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        pieces.push(text.slice(at));
        expect(read(...pieces)).toEqual(events.map((lines) => lines.join('\n')));
      }),
    );
  });
});
