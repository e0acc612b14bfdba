import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { httpEmbedder } from 'agent-machines/search';
import { fakeClock } from 'agent-machines/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}
type Answer = (response: ServerResponse, asked: Asked) => void;

const vectorOf = (word: string): number[] => [word.length, 1];
const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const vectors: Answer = (response, { body }) =>
  json(response, { data: body.input.map((word, index) => ({ index, embedding: vectorOf(word) })) });
const refusal =
  (status: number, headers?: Record<string, string>): Answer =>
  (response) =>
    json(response, { error: 'the key is sk-secret' }, status, headers);

/** A clock that does not wait, and notes how long it would have. */
function quickClock() {
  const pauses: number[] = [];
  const schedule = (delayMs: number, callback: () => void): (() => void) => {
    pauses.push(delayMs);
    queueMicrotask(callback);
    return () => {};
  };
  return { clock: { ...fakeClock(), schedule }, pauses };
}

describe('httpEmbedder', () => {
  let asked: Asked[];
  let answers: Answer[];
  let baseURL: string;
  let close: () => Promise<void>;
  beforeEach(async () => {
    asked = [];
    answers = [];
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const one: Asked = { path: request.url, authorization: request.headers.authorization, body: JSON.parse(await text(request)) };
      asked.push(one);
      (answers.shift() ?? vectors)(response, one);
    };
    const server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    close = () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
  });
  afterEach(() => close());
  const embedder = (options: Partial<Parameters<typeof httpEmbedder>[0]> = {}) =>
    httpEmbedder({ model: 'm', dimensions: 2, baseURL, maxRetries: 0, ...options });
  const unit = (word: string): number[] => vectorOf(word).map((value) => Math.fround(value / Math.hypot(...vectorOf(word))));

  it('sends the texts in batches and returns unit vectors in their order', async () => {
    const embedded = await embedder({ batchSize: 2, apiKey: 'sk-secret' }).embed(['a', 'bb', 'ccc']);
    expect(embedded.map((vector) => [...vector])).toEqual(['a', 'bb', 'ccc'].map(unit));
    expect(asked.map(({ body }) => body)).toEqual([
      { model: 'm', input: ['a', 'bb'], encoding_format: 'float' },
      { model: 'm', input: ['ccc'], encoding_format: 'float' },
    ]);
    expect(asked[0]).toMatchObject({ path: '/v1/embeddings', authorization: 'Bearer sk-secret' });
  });

  it('orders the vectors by the index of an entry', async () => {
    answers.push((response) =>
      json(response, {
        data: [
          { index: 1, embedding: [0, 1] },
          { index: 0, embedding: [1, 0] },
        ],
      }),
    );
    expect((await embedder().embed(['a', 'b'])).map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('sends no blank text, and returns the zero vector for it', async () => {
    expect((await embedder().embed(['', 'a', ' \n'])).map((vector) => [...vector])).toEqual([[0, 0], unit('a'), [0, 0]]);
    expect(asked.map(({ body }) => body.input)).toEqual([['a']]);
    await expect(embedder().embed([])).resolves.toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('requests a length and sends a key only if the options have one', async () => {
    await embedder({ shorten: true }).embed(['a']);
    expect(asked[0]?.body.dimensions).toBe(2);
    expect(asked[0]?.authorization).toBeUndefined();
  });

  it.each([
    ['no JSON', 'text'],
    ['no list', { data: {} }],
    ['too few', { data: [] }],
    ['no embedding', { data: [{ index: 0 }] }],
    ['another length', { data: [{ index: 0, embedding: [1] }] }],
    ['no number', { data: [{ index: 0, embedding: [1, null] }] }],
    ['an index that is out of range', { data: [{ index: 1, embedding: [1, 0] }] }],
    ['no index', { data: [{ embedding: [1, 0] }] }],
  ])('refuses a reply with %s', async (_, reply) => {
    answers.push((response) => (reply === 'text' ? response.end('oops') : json(response, reply)));
    await expect(embedder({ maxRetries: 3 }).embed(['a'])).rejects.toMatchObject({ code: 'EMBEDDER_INVALID', retryable: false });
    expect(asked).toHaveLength(1);
  });

  it('refuses a repeated index', async () => {
    const entry = { index: 0, embedding: [1, 0] };
    answers.push((response) => json(response, { data: [entry, entry] }));
    await expect(embedder().embed(['a', 'b'])).rejects.toMatchObject({ code: 'EMBEDDER_INVALID' });
  });

  it.each([400, 401, 404, 422])('does not retry a request refused with %d, and keeps the key out of the error', async (status) => {
    answers.push(refusal(status));
    const error = await embedder({ apiKey: 'sk-secret', maxRetries: 2 })
      .embed(['a'])
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', retryable: false, data: { status } });
    expect(String(error)).toContain('[key]');
    expect(String(error)).not.toContain('sk-secret');
    expect(asked).toHaveLength(1);
  });

  it('retries with growing pauses, or with the pause that the server requests', async () => {
    const { clock, pauses } = quickClock();
    answers.push(
      refusal(500),
      refusal(429, { 'retry-after': '7' }),
      (response) => response.destroy(),
      refusal(503, { 'retry-after': '900' }),
    );
    const [vector] = await embedder({ maxRetries: 4, clock }).embed(['a']);
    expect([...(vector ?? [])]).toEqual(unit('a'));
    expect(pauses).toEqual([500, 7_000, 2_000, 30_000]);
  });

  it('waits until the date in the header, by the clock of the server', async () => {
    const { clock, pauses } = quickClock();
    const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
    const at = (time: string): Answer => refusal(503, { date, 'retry-after': `Sun, 22 Nov 2026 ${time} GMT` });
    answers.push(at('10:00:04'), at('11:00:00'), at('09:00:00'), refusal(503, { 'retry-after': '2' }));
    await expect(embedder({ maxRetries: 3, clock }).embed(['a'])).rejects.toMatchObject({ retryAfterMs: 2_000 });
    expect(pauses).toEqual([4_000, 30_000, 0]);
  });

  it('gives up after the last attempt', async () => {
    answers.push(refusal(503), refusal(503));
    await expect(embedder({ maxRetries: 1, clock: quickClock().clock }).embed(['a'])).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      retryable: true,
      data: { status: 503 },
    });
    expect(asked).toHaveLength(2);
  });

  it('reports a timeout, and a server that does not listen', async () => {
    answers.push(() => {});
    await expect(embedder({ timeoutMs: 20 }).embed(['a'])).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('20 ms'),
    });
    await close();
    await expect(embedder().embed(['a'])).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', retryable: true });
  });

  it('rejects with the reason of an aborted signal before, during and between attempts', async () => {
    const reason = new Error('enough');
    await expect(embedder().embed(['a'], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(asked).toHaveLength(0);

    const during = new AbortController();
    answers.push(() => during.abort(reason));
    await expect(embedder({ maxRetries: 2 }).embed(['a'], { signal: during.signal })).rejects.toBe(reason);

    const between = new AbortController();
    const clock = {
      ...fakeClock(),
      schedule: () => {
        queueMicrotask(() => between.abort(reason));
        return () => {};
      },
    };
    answers.push(refusal(500));
    await expect(embedder({ maxRetries: 2, clock }).embed(['a'], { signal: between.signal })).rejects.toBe(reason);
  });

  it.each([{ dimensions: 0 }, { batchSize: 0 }, { timeoutMs: 0 }, { maxRetries: -1 }, { baseURL: 'localhost' }, { baseURL: 'file:///x' }])(
    'refuses %j',
    (options) => {
      expect(() => embedder(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    },
  );
});
