import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../../../src/models/openai/server-sent-events.ts';

async function* piecesOf(pieces: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* pieces;
}

async function read(...pieces: string[]): Promise<string[]> {
  const events: string[] = [];
  for await (const data of readServerSentEvents(piecesOf(pieces))) events.push(data);
  return events;
}

describe('readServerSentEvents', () => {
  it('reads the data of each event', async () => {
    expect(await read('data: a\n\ndata:b\n\n')).toEqual(['a', 'b']);
  });

  it('strips exactly one space', async () => {
    expect(await read('data:  a \n\n')).toEqual([' a ']);
  });

  it('joins the lines of one event', async () => {
    expect(await read('data: a\ndata\ndata: b\n\n')).toEqual(['a\n\nb']);
  });

  it('skips comments, other fields and events without data', async () => {
    expect(await read(': hello\nevent: x\nid: 1\ndatabase: y\n\nevent: z\ndata: a\n\n\n')).toEqual(['a']);
  });

  it('reads a last event without a blank line', async () => {
    expect(await read('data: a\n\ndata: b')).toEqual(['a', 'b']);
    expect(await read('data: a\n\ndata: b\r')).toEqual(['a', 'b']);
  });

  it('reads nothing from an empty stream', async () => {
    expect(await read()).toEqual([]);
  });

  it('reads the same for any split and any line ends', async () => {
    const line = fc.string().map((text) => text.replace(/[\r\n]/g, ''));
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(line, { minLength: 1 })), lineEnd, fc.array(fc.nat(12)), async (events, end, sizes) => {
        const text = events.map((lines) => [...lines.map((line) => `data: ${line}`), '', ''].join(end)).join('');
        const pieces: string[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        pieces.push(text.slice(at));
        expect(await read(...pieces)).toEqual(events.map((lines) => lines.join('\n')));
      }),
    );
  });
});
