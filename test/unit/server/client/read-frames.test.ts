import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, readFrames } from '../../../../src/server/client/read-frames.ts';

async function read(chunks: readonly string[]): Promise<readonly Frame[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const frames: Frame[] = [];
  for await (const some of readFrames(body)) frames.push(...some);
  return frames;
}

const stream = ': ok\n\nid: 1.1\nevent: edge\ndata: {"a":1}\n\n: beat\n\ndata: two\r\ndata: lines\r\n\r\nevent: end\ndata: {}\n\n';

describe('readFrames', () => {
  it('reads events and skips comments', async () => {
    expect(await read([stream])).toEqual([
      { event: 'edge', data: '{"a":1}', id: '1.1' },
      { event: 'message', data: 'two\nlines' },
      { event: 'end', data: '{}' },
    ]);
  });

  it('reads the same for any split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(stream.length)), async (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), stream.length];
        const chunks = cuts.slice(1).map((to, index) => stream.slice(cuts[index], to));
        expect(await read(chunks)).toEqual(await read([stream]));
      }),
    );
  });
});
