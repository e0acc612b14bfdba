import { describe, expect, it, vi } from 'vitest';
import { readResponseText } from '../../../../src/models/openai/response-text.ts';

const context = { name: 'x', redact: (text: string) => text };
const reason = new Error('Left.');

async function readAll(body: ReadableStream<Uint8Array>, signal: AbortSignal = new AbortController().signal): Promise<string> {
  let all = '';
  const take = (piece: string): boolean => {
    all += piece;
    return false;
  };
  await readResponseText(body, { context, clock: { signal, heard: () => {} }, take });
  return all;
}

describe('readResponseText', () => {
  it('reads characters that are split between two pieces', async () => {
    const bytes = new TextEncoder().encode('Zürich 🚲');
    for (let at = 0; at <= bytes.length; at++) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(bytes.slice(0, at));
          controller.enqueue(bytes.slice(at));
          controller.close();
        },
      });
      expect(await readAll(body)).toBe('Zürich 🚲');
    }
  });

  it('reads no further than asked, and cancels the body', async () => {
    const cancel = vi.fn<() => void>();
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new TextEncoder().encode('a')), cancel });
    const pieces: string[] = [];
    const take = (piece: string): boolean => pieces.push(piece) === 3;
    await readResponseText(body, { context, clock: { signal: new AbortController().signal, heard: () => {} }, take });
    expect(pieces).toEqual(['a', 'a', 'a']);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('rejects with the reason of an earlier abort and cancels the body', async () => {
    const cancel = vi.fn<() => void>();
    const body = new ReadableStream<Uint8Array>({ cancel });
    await expect(readAll(body, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('rejects with the reason of an abort that breaks the body first', async () => {
    const controller = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        controller.signal.addEventListener('abort', () => stream.error(new Error('Broken.')));
      },
    });
    const reading = readAll(body, controller.signal);
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});
