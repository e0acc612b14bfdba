import type { Hono } from 'hono';
import { z } from 'zod';
import type { JsonObject } from '../../../core/ports/json.ts';
import { findWorkflow, type ProtocolSpace, type ProtocolWorkflow } from '../protocol-space.ts';
import { readBody, unsupported } from '../read-body.ts';
import { toAssistant, toAssistantGraph, toAssistantSchemas } from './assistant.ts';
import { picked } from './picked.ts';

const search = z.looseObject({
  graph_id: z.string().nullish(),
  name: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  limit: z.int().min(1).max(1_000).nullish(),
  offset: z.int().min(0).nullish(),
  sort_by: z.string().nullish(),
  select: z.array(z.string()).nullish(),
});

/** Assistants are fixed: one per workflow. */
export function addAssistantRoutes(app: Hono, space: ProtocolSpace): void {
  const matching = (asked: z.infer<typeof search>): readonly ProtocolWorkflow[] => {
    if (asked.sort_by !== undefined && asked.sort_by !== null) throw unsupported('sort_by', 'Assistants have the order of the workflows.');
    const { graph_id: graphId, name, metadata } = asked;
    return space.workflows.filter((one) => {
      const { metadata: own, name: ownName } = toAssistant(one);
      const hasName = name === undefined || name === null || String(ownName).toLowerCase().includes(name.toLowerCase());
      return (graphId === undefined || graphId === null || graphId === one.id) && hasName && hasMembers(own as JsonObject, metadata ?? {});
    });
  };
  app.post('/assistants/search', async ({ req }) => {
    const asked = await readBody(req.raw, search);
    const { limit, offset, select } = asked;
    const from = offset ?? 0;
    const page = matching(asked).slice(from, from + (limit ?? 10));
    return Response.json(page.map((one) => picked(toAssistant(one), select)));
  });
  app.post('/assistants/count', async ({ req }) => Response.json(matching(await readBody(req.raw, search)).length));
  app.get('/assistants/:id', ({ req }) => Response.json(toAssistant(findWorkflow(space, req.param('id')))));
  app.get('/assistants/:id/graph', ({ req }) => Response.json(toAssistantGraph(findWorkflow(space, req.param('id')))));
  app.get('/assistants/:id/schemas', ({ req }) => Response.json(toAssistantSchemas(findWorkflow(space, req.param('id')))));
  app.get('/assistants/:id/subgraphs', ({ req }) => {
    findWorkflow(space, req.param('id'));
    return Response.json({});
  });
}

const hasMembers = (own: JsonObject, wanted: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(wanted).every(([key, value]) => own[key] === value);
