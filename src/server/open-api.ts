import { z } from 'zod';
import { type RouteName, routes } from '../api/routes.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import { contracts } from './contracts.ts';

/** The API as an OpenAPI 3.1 document, made of the same schemas that requests are read with. */
export function toOpenApi(): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    const at = path.replace(/:(\w+)/g, '{$1}');
    paths[at] = { ...paths[at], [method.toLowerCase()]: toOperation(name) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'agent-machines', version: '1', license: { name: 'MIT' } },
    security: [{ token: [] }],
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, schemas: { Error: errorSchema } },
  };
}

const errorSchema: JsonObject = {
  type: 'object',
  required: ['code', 'message', 'requestId'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    hint: { type: 'string' },
    requestId: { type: 'string' },
    data: { type: 'object' },
  },
};

/** What an answer is that is no JSON. */
const otherTypes: Partial<Readonly<Record<RouteName, string>>> = {
  streamEvents: 'text/event-stream',
  getMetrics: 'text/plain',
  getTest: 'text/plain',
};
const created: ReadonlySet<RouteName> = new Set(['startRun', 'forkRun', 'addDocument']);

function toOperation(name: RouteName): JsonObject {
  const { summary, params, query, body } = contracts[name];
  const content = { [otherTypes[name] ?? 'application/json']: {} };
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')];
  const file: JsonObject = {
    'multipart/form-data': { schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] } },
  };
  const given = name === 'addDocument' ? file : body ? { 'application/json': { schema: schemaOf(body) } } : undefined;
  return {
    operationId: name,
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(given ? { requestBody: { required: true, content: given } } : {}),
    responses: {
      [created.has(name) ? '201' : '200']: { description: 'Done.', content },
      default: { description: 'Refused.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
    },
  };
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): readonly JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as { properties?: JsonObject; required?: readonly string[] };
  return Object.entries(properties).map(([name, own]) => ({ name, in: place, required: required.includes(name), schema: own }));
}

function schemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  return rest;
}
