import { type Context, Hono } from 'hono';
import { errorResponse } from '../../http/error-response.ts';
import { actingSpace, type ProtocolOptions, type ProtocolSpace } from '../protocol-space.ts';
import { unsupported } from '../read-body.ts';
import { addAssistantRoutes } from './assistant-routes.ts';
import { addRunRoutes } from './run-routes.ts';
import { addThreadRoutes } from './thread-routes.ts';

/** Place of the routes: `apiUrl` of a client is the server's address with this path. */
const langGraphPath = '/api/langgraph';

/**
 * Serves the API of a LangGraph server below `/api/langgraph`, for `@langchain/langgraph-sdk` and pages that use it: assistants, threads
 * and their state, and runs. Each workflow is an assistant. The server has the history, so only the newest message of an input is read.
 * Unsupported calls and fields are refused by name.
 *
 * @example const client = new Client({ apiUrl: 'http://127.0.0.1:4680/api/langgraph', apiKey: process.env.TOKEN });
 */
export function langGraphRoutes(given: ProtocolSpace, { goneMs = 0, heartbeatMs = 15_000 }: ProtocolOptions = {}): Hono {
  const space = actingSpace(given, 'langgraph');
  const app = new Hono().basePath(langGraphPath);
  app.get('/ok', () => Response.json({ ok: true }));
  app.get('/info', () =>
    Response.json({ version: '0', context: 'agent-machines', flags: { assistants: true, crons: false, langsmith: false } }),
  );
  addAssistantRoutes(app, space);
  addThreadRoutes(app, space);
  addRunRoutes(app, space, { goneMs, heartbeatMs });
  app.all('/*', refuse);
  app.onError((error) => errorResponse(error));
  return app;
}

function refuse({ req: { method, path } }: Context): never {
  throw unsupported(
    `${method} ${path.slice(langGraphPath.length, langGraphPath.length + 80)}`,
    'See the guide on protocols for the routes.',
  );
}
