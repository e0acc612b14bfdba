// Each error that a server can answer below /v1, as OpenAI's own client reads it over a real socket.
import { createRuntime, memoryStore } from 'agent-machines';
import { type AgentServer, createServer, openaiRoutes, type ServedSpace, type ServerOptions } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import OpenAI from 'openai';
import { afterEach, expect, it, vi } from 'vitest';
import { asking, token } from '../fixtures/served.ts';

vi.setConfig({ testTimeout: 60_000 });
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(options: Partial<ServerOptions> = {}, onMade: (server: AgentServer) => void = () => {}) {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [asking] });
  const listener = await listen({
    server: (hosts) => {
      const mounts = [(space: ServedSpace) => openaiRoutes(space)];
      const server = createServer({ hosts, tokens: token, store, runtime, workflows: [asking], mounts, ...options });
      onMade(server);
      return server;
    },
  });
  closing.push(
    () => runtime.close(),
    () => listener.close(),
  );
  const baseURL = `${listener.url}/v1`;
  return { baseURL, runtime, client: new OpenAI({ baseURL, apiKey: token, maxRetries: 0 }) };
}

const messages = [{ role: 'user' as const, content: 'hi' }];
const ask = (client: OpenAI) => client.chat.completions.create({ model: 'asking', messages });

/** The members of an error in OpenAI's format. */
const envelope = {
  error: {
    message: expect.any(String),
    type: expect.stringMatching(/^(invalid_request|authentication|rate_limit|server)_error$/),
    param: null,
    code: expect.any(String),
  },
};

const tooLarge = [{ role: 'user' as const, content: 'x'.repeat(1_048_577) }];
const refused: readonly [name: string, call: (client: OpenAI, baseURL: string) => Promise<unknown>, type: unknown, code: string][] = [
  [
    'a wrong token',
    (_, baseURL) => ask(new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 })),
    OpenAI.AuthenticationError,
    'NOT_AUTHENTICATED',
  ],
  ['an unknown path', (client) => client.post('/nothing', { body: {} }), OpenAI.NotFoundError, 'NOT_FOUND'],
  [
    'a path of the API that is not served',
    (client) => client.embeddings.create({ model: 'm', input: 'x' }),
    OpenAI.NotFoundError,
    'NOT_FOUND',
  ],
  ['an unknown model', (client) => client.models.retrieve('gpt-9'), OpenAI.NotFoundError, 'model_not_found'],
  ['another method', (client) => client.put('/models', { body: {} }), OpenAI.APIError, 'METHOD_NOT_ALLOWED'],
  [
    'another content type',
    (client) => client.post('/responses', { body: 'x', headers: { 'content-type': 'text/plain' } }),
    OpenAI.APIError,
    'MEDIA_TYPE_UNSUPPORTED',
  ],
  [
    'no JSON',
    (client) => client.post('/responses', { body: '{"model":', headers: { 'content-type': 'application/json' } }),
    OpenAI.BadRequestError,
    'REQUEST_INVALID',
  ],
  ['a large body', (client) => client.chat.completions.create({ model: 'asking', messages: tooLarge }), OpenAI.APIError, 'BODY_TOO_LARGE'],
];

it.each(refused)('throws the typed error of the client for %s', async (_, call, type, code) => {
  const { client, baseURL, runtime } = await serve();
  const thrown = await call(client, baseURL).then(
    () => expect.fail('was accepted'),
    (error: InstanceType<typeof OpenAI.APIError>) => error,
  );
  expect(thrown).toBeInstanceOf(type);
  expect(thrown.code).toBe(code);
  expect({ error: thrown.error }).toEqual(envelope);
  expect(thrown.requestID).toMatch(/^q_/);
  expect(await runtime.list()).toEqual([]);
});

it.each([
  ['PUT', '/models', 405, 'METHOD_NOT_ALLOWED'],
  ['GET', '/chat/completions', 405, 'METHOD_NOT_ALLOWED'],
  ['DELETE', '/responses', 405, 'METHOD_NOT_ALLOWED'],
  ['GET', '', 404, 'NOT_FOUND'],
  ['GET', '/nothing/x', 404, 'NOT_FOUND'],
  ['OPTIONS', '/models', 404, 'NOT_FOUND'],
])('answers %s %s with the format of OpenAI and status %i', async (method, path, status, code) => {
  const { baseURL } = await serve();
  const response = await fetch(`${baseURL}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
  expect([response.status, await response.json()]).toEqual([status, { error: { ...envelope.error, code } }]);
  if (status === 405) expect(response.headers.get('allow')).toMatch(/^[A-Z, ]+$/);
});

it('reports too many requests, with the time to wait', async () => {
  const { client } = await serve({ limits: { starts: { perMinute: 1, burst: 1 } } });
  await ask(client);
  const thrown = await ask(client).catch((error: InstanceType<typeof OpenAI.APIError>) => error);
  expect(thrown).toBeInstanceOf(OpenAI.RateLimitError);
  expect(thrown).toMatchObject({ code: 'TOO_MANY_REQUESTS', type: 'rate_limit_error' });
  expect(Number((thrown as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after'))).toBeGreaterThan(0);
});

it('reports a closing server and a fault inside, without what the fault says', async () => {
  const faulty = await serve({
    spaceOf: () => Promise.reject(new Error('password of /var/db')),
    tokens: { [token]: 'a' },
  });
  const thrown = await ask(faulty.client).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(OpenAI.InternalServerError);
  expect(thrown).toMatchObject({ status: 500, type: 'server_error' });
  expect(JSON.stringify((thrown as InstanceType<typeof OpenAI.APIError>).error)).not.toContain('password');
  let server: AgentServer | undefined;
  const closing = await serve({}, (made) => {
    server = made;
  });
  await server?.close();
  const closed = ask(closing.client);
  await expect(closed).rejects.toMatchObject({ status: 503, code: 'SERVER_CLOSING', type: 'server_error' });
});

it('answers in the same format without the server', async () => {
  const runtime = createRuntime();
  const app = openaiRoutes({ runtime, workflows: [{ id: 'asking', workflow: asking }] });
  const send = async (path: string, options: RequestInit) => {
    const response = await app.request(path, options);
    return [response.status, await response.json()];
  };
  const json = { 'content-type': 'application/json' };
  expect(await send('/v1/responses', { method: 'POST', body: '{', headers: json })).toEqual([
    400,
    { error: { ...envelope.error, code: 'INPUT_INVALID' } },
  ]);
  expect(await send('/v1/responses', { method: 'POST', body: '{}' })).toEqual([
    415,
    { error: { ...envelope.error, code: 'MEDIA_TYPE_UNSUPPORTED' } },
  ]);
  expect(await send('/v1/files', {})).toEqual([404, { error: { ...envelope.error, code: 'NOT_FOUND' } }]);
  expect(await send('/v1/models', { method: 'PATCH' })).toEqual([405, { error: { ...envelope.error, code: 'METHOD_NOT_ALLOWED' } }]);
  expect((await app.request('/other')).status).toBe(404);
  await runtime.close();
});
