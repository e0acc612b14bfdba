import { createServer } from 'node:http';
import { type ChatMessage, type ChatModel, type ChatReply, type StreamEvent, type TextGuard, WorkflowError } from 'agent-machines';
import { maskPersonalData, maskSecrets, openaiModeration } from 'agent-machines/guards';
import { askJson, askModel, cachedModel, fallbackModel } from 'agent-machines/models';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const reply = (text: string, more: Partial<ChatReply> = {}): ChatReply => ({
  text,
  toolCalls: [],
  usage: { inputTokens: 3, outputTokens: 2 },
  model: 'm',
  cached: false,
  ...more,
});
type Generate = ChatModel['generate'];
const streaming =
  (text: string): Generate =>
  async ({ onToken }) => {
    onToken?.(text);
    return reply(text);
  };
const modelOf = (generate: Generate): ChatModel => ({ name: 'm', generate });
const user = (content: string): ChatMessage => ({ role: 'user', content });

function ioOf(guards: readonly TextGuard[], abort = new AbortController()) {
  const events: StreamEvent[] = [];
  let shown = '';
  const emit = (event: StreamEvent): void => {
    events.push(event);
    if (event.type === 'step-reset') shown = '';
    if (event.type === 'token') shown += event.text;
  };
  const step = async <T>(_: string, work: (attempt: never) => Promise<T>): Promise<T> => work({} as never);
  return { guards, events, signal: abort.signal, emit, step: step as never, shown: () => shown };
}
const ask = async (guards: readonly TextGuard[], generate: Generate, messages: readonly ChatMessage[] = [user('q')]) => {
  const io = ioOf(guards);
  const made = await askModel(modelOf(generate), { task: 't', messages }, { io, stream: true });
  return { ...made, io, shown: io.shown() };
};
const guardOf = (more: Partial<TextGuard>): TextGuard => ({ name: 'g', at: ['answer'], check: () => ({ as: 'pass' }), ...more });
const codeOf = async (asked: Promise<unknown>) =>
  asked.then(
    () => 'none',
    (error: WorkflowError) => [error.code, error.retryable, error.data],
  );

describe('askModel with guards', () => {
  it('passes masks from guard to guard, and lets a later stop win over a hold', async () => {
    const add = (name: string, sign: string): TextGuard => guardOf({ name, check: (text) => ({ as: 'mask', text: text + sign }) });
    expect((await ask([add('a', '1'), add('b', '2')], async () => reply('x'))).text).toBe('x12');
    const hold = guardOf({ name: 'hold', check: () => ({ as: 'hold', reason: 'h' }) });
    const stop = guardOf({ name: 'stop', check: () => ({ as: 'stop', reason: 's' }) });
    expect(await codeOf(ask([hold], async () => reply('x')))).toEqual(['GUARD_HELD', false, { guard: 'hold', border: 'answer' }]);
    expect(await codeOf(ask([hold, stop], async () => reply('x')))).toEqual(['GUARD_STOPPED', false, { guard: 'stop', border: 'answer' }]);
  });

  it('counts a reply that a guard has refused, once', async () => {
    const io = ioOf([guardOf({ check: () => ({ as: 'stop', reason: 'no' }) })]);
    const asked = askModel(modelOf(streaming('x')), { task: 't', messages: [] }, { io, stream: true });
    expect(await codeOf(asked)).toEqual(['GUARD_STOPPED', false, { guard: 'g', border: 'answer' }]);
    expect(io.events.map(({ type }) => type)).toEqual(['model-start', 'model-end', 'guard']);
    expect(io.events[1]).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 } });
    expect(io.events[2]).toEqual({ type: 'guard', guard: 'g', border: 'answer', verdict: 'stop', reason: 'no' });
  });

  it.each([
    ['an error', () => Promise.reject(new TypeError('about SECRET')), 'TypeError'],
    ['an error of the package', () => Promise.reject(new WorkflowError({ code: 'GUARD_STOPPED', message: 'SECRET' })), 'GUARD_STOPPED'],
    ['a text', () => Promise.reject('SECRET'), 'no error'],
    ['no verdict', () => ({ as: 'maybe' }) as never, 'VerdictInvalid'],
    ['nothing', () => undefined as never, 'VerdictInvalid'],
    ['a mask without a text', () => ({ as: 'mask' }) as never, 'VerdictInvalid'],
  ])('fails closed when a guard gives %s', async (_, check, error) => {
    const io = ioOf([guardOf({ check })]);
    const asked = askModel(
      modelOf(async () => reply('SECRET')),
      { task: 't', messages: [] },
      { io, stream: true },
    );
    const thrown = await asked.catch((cause: WorkflowError) => cause);
    expect(thrown).toMatchObject({ code: 'GUARD_FAILED', retryable: true, data: { guard: 'g', border: 'answer', error } });
    expect(JSON.stringify([thrown, io.events])).not.toContain('SECRET');
  });

  it('hands on the reason of an abort instead of a failed guard', async () => {
    const abort = new AbortController();
    const io = ioOf([guardOf({ check: () => new Promise(() => {}) })], abort);
    const asked = askModel(
      modelOf(async () => reply('x')),
      { task: 't', messages: [] },
      { io },
    );
    setImmediate(() => abort.abort(new Error('paused')));
    await expect(asked).rejects.toThrow('paused');
  });

  it('checks the reasoning before it is shown, and drops provider data beside a changed text', async () => {
    const providerData = { from: 'm', data: { raw: 'password: hunter22' } };
    const generate: Generate = async ({ onReasoning }) => {
      onReasoning?.('I saw password: hunter22');
      return reply('password: hunter22', { providerData });
    };
    const { io, text, providerData: kept } = await ask([maskSecrets()], generate);
    expect(io.events.find(({ type }) => type === 'thinking')).toMatchObject({ content: 'I saw password: [secret]' });
    expect([text, kept]).toEqual(['password: [secret]', undefined]);
    expect((await ask([maskSecrets()], async () => reply('fine', { providerData }))).providerData).toEqual(providerData);
  });

  it('restores and filters again when a stream is cut or a fallback answers', async () => {
    let calls = 0;
    const cut: Generate = async ({ onToken }) => {
      onToken?.('I am <EMA');
      if (calls++ === 0) throw new WorkflowError({ code: 'MODEL_STREAM_CUT', message: 'cut', retryable: true });
      onToken?.('IL_1> now');
      return reply('I am <EMAIL_1> now');
    };
    const again = await ask([maskPersonalData()], cut, [user('kim@example.com')]);
    expect([again.text, again.shown]).toEqual(Array(2).fill('I am kim@example.com now'));
    const first = modelOf(async ({ onToken }) => {
      onToken?.('wrong <EMAIL_1>');
      throw new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'down', retryable: true });
    });
    const second = modelOf(streaming('right <EMAIL_1>'));
    const both = fallbackModel([first, second]);
    const { text, shown } = await ask([maskPersonalData(), maskSecrets()], (request) => both.generate(request), [user('kim@example.com')]);
    expect([text, shown]).toEqual(Array(2).fill('right kim@example.com'));
  });

  it('gives each user the own values of a reply from the cache', async () => {
    const model = cachedModel(modelOf(async () => reply('Hello <EMAIL_1>')));
    const texts: string[] = [];
    for (const name of ['kim', 'lee']) {
      const io = ioOf([maskPersonalData()]);
      const request = { task: 't', messages: [user(`I am ${name}@example.com`)], deterministic: true };
      texts.push((await askModel(model, request, { io })).text);
    }
    expect(texts).toEqual(['Hello kim@example.com', 'Hello lee@example.com']);
  });

  it('guards the replies of askJson', async () => {
    const io = ioOf([
      maskPersonalData(),
      guardOf({ name: 'inner', check: (_, { part }) => (part === 'inner' ? { as: 'pass' } : { as: 'stop', reason: 'shown' }) }),
    ]);
    const model = modelOf(async () => reply('{"to":"<EMAIL_1>"}'));
    const request = { task: 't', messages: [user('kim@example.com')] };
    expect(await askJson(model, request, { io, schema: z.object({ to: z.string() }) })).toEqual({ to: 'kim@example.com' });
  });
});

describe('openaiModeration', () => {
  async function served(answer: (body: { readonly input: readonly string[] }) => readonly [status: number, body: unknown]) {
    const asked: { readonly input: readonly string[] }[] = [];
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      const body = JSON.parse(text);
      asked.push(body);
      const [status, made] = answer(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(typeof made === 'string' ? made : JSON.stringify(made));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    return { asked, baseURL: `http://127.0.0.1:${port}/v1/` };
  }
  const { signal } = new AbortController();
  const result = (flagged: boolean, categories: object = {}) => ({ flagged, categories });

  it('sends long texts in parts, and names what the service flags', async () => {
    const { asked, baseURL } = await served(({ input }) => [
      200,
      { results: input.map((part) => result(part.includes('bad'), { violence: part.includes('bad'), hate: false })) },
    ]);
    const check = openaiModeration({ apiKey: 'k', baseURL });
    expect(await check('good', { signal })).toBeUndefined();
    expect(await check(`${'x'.repeat(45_000)}bad`, { signal })).toBe('violence');
    expect(asked.map(({ input }) => input.length)).toEqual([1, 3]);
    expect(await openaiModeration({ apiKey: 'k', baseURL, categories: ['hate'] })('bad', { signal })).toBeUndefined();
  });

  it.each([
    [500, {}, 'MODEL_UNAVAILABLE', true],
    [429, {}, 'MODEL_UNAVAILABLE', true],
    [401, { error: 'SECRET' }, 'MODEL_REQUEST_REFUSED', false],
    [200, { results: [] }, 'MODEL_UNAVAILABLE', true],
    [200, { results: [{ flagged: 'no' }] }, 'MODEL_UNAVAILABLE', true],
    [200, 'no JSON', 'MODEL_UNAVAILABLE', true],
  ])('fails when the service answers %i with %j', async (status, body, code, retryable) => {
    const { baseURL } = await served(() => [status, body]);
    const check = async () => openaiModeration({ apiKey: 'k', baseURL })('SECRET', { signal });
    const failed = await check().catch((error: WorkflowError) => error);
    expect(failed).toMatchObject({ code, retryable });
    expect(String(JSON.stringify(failed))).not.toContain('SECRET');
  });
});
