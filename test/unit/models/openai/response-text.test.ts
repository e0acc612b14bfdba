import { describe, expect, it, vi } from 'vitest';
import { readResponseText } from '../../../../src/models/openai/response-text.ts';

const context = { name: 'x', redact: (text: string) => text };
const optionsOf = (signal: AbortSignal = new AbortController().signal) => ({ context, clock: { signal, heard: () => {} } });
const reason = new Error('Left.');

async function readAll(text: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const piece of text) all += piece;
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
      expect(await readAll(readResponseText(body, optionsOf()))).toBe('Zürich 🚲');
    }
  });

  it('rejects with the reason of an earlier abort and cancels the body', async () => {
    const cancel = vi.fn<() => void>();
    const body = new ReadableStream<Uint8Array>({ cancel });
    await expect(readAll(readResponseText(body, optionsOf(AbortSignal.abort(reason))))).rejects.toBe(reason);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('rejects with the reason of an abort that breaks the body first', async () => {
    const controller = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        controller.signal.addEventListener('abort', () => stream.error(new Error('Broken.')));
      },
    });
    const reading = readAll(readResponseText(body, optionsOf(controller.signal)));
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});
