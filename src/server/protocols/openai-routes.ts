import { Hono } from 'hono';
import { notFound, Refusal } from '../http/refusal.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiErrorResponse } from './openai-error.ts';
import { openaiResponses } from './openai-responses.ts';
import { addStoredResponses } from './openai-stored-responses.ts';
import { actingSpace, findWorkflow, type ProtocolOptions, type ProtocolSpace, type ProtocolWorkflow } from './protocol-space.ts';
import { ReaderCount } from './reader-count.ts';

export interface OpenaiOptions extends ProtocolOptions {
  /**
   * True rejects by name what is ignored otherwise: system messages, tools, `stop`, parameters that are not known, and a history that this
   * server has not produced. @default false, so that chat applications work that send these with each request
   */
  readonly strict?: boolean;
}

/**
 * Serves OpenAI's API with workflows as models: `/v1/models`, `/v1/chat/completions`, `/v1/responses`. A conversation continues by
 * `previous_response_id` or `conversation`; in chat completions by `metadata.thread_id` or the history itself. A waiting run returns its
 * question as text, and the next message is the answer. A workflow has its own instructions, tools and limits: those of the client are
 * ignored and named in the header `x-ignored-parameters`.
 *
 * @example new OpenAI({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: token }).chat.completions.create({ model: 'plan-execute', messages });
 */
export function openaiRoutes(given: ProtocolSpace, { goneMs = 0, heartbeatMs = 15_000, strict = false }: OpenaiOptions = {}): Hono {
  const space = actingSpace(given, 'openai');
  const context = { space, readers: new ReaderCount(space.runtime, goneMs), heartbeatMs, isStrict: strict };
  const app = new Hono();
  app.onError((error) => openaiErrorResponse(error));
  app.get('/v1/models', () => Response.json({ object: 'list', data: space.workflows.map(toModel) }));
  app.get('/v1/models/:model', ({ req }) => Response.json(toModel(findWorkflow(space, req.param('model')))));
  const chat = openaiChat(context);
  app.post('/v1/chat/completions', ({ req }) => chat(req.raw));
  const responses = openaiResponses(context);
  app.post('/v1/responses', ({ req }) => responses(req.raw));
  addStoredResponses(app, context);
  for (const [path, methods] of methodsOf(app)) app.all(path, () => Promise.reject(methodNotAllowed(methods)));
  app.all('/v1/*', () => Promise.reject(notFound()));
  return app;
}

/** Methods of each path that has a route. */
function methodsOf({ routes }: Hono): ReadonlyMap<string, readonly string[]> {
  return new Map(routes.map(({ path }) => [path, routes.filter((route) => route.path === path).map(({ method }) => method)]));
}

const methodNotAllowed = (methods: readonly string[]): Refusal =>
  new Refusal({
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: `This path takes ${methods.join(' and ')} only.`,
    headers: { allow: methods.join(', ') },
  });

const toModel = ({ id }: ProtocolWorkflow): object => ({ id, object: 'model', created: 0, owned_by: 'agent-machines' });
