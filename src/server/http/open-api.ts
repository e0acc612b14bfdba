import { z } from 'zod';
import { errorCodes } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { httpErrorCodes } from '../api/http-error-code.ts';
import { type RouteName, routes } from '../api/routes.ts';
import { answerParts, answers } from './answers.ts';
import { contracts } from './contracts.ts';
import { eventSchemas } from './event-schemas.ts';
import type { ServedWorkflow } from './served-workflow.ts';

/** Describes the API as an OpenAPI 3.1 document: the request schemas, the responses, and the answers that these workflows accept. */
export function toOpenApi(workflows: readonly ServedWorkflow[] = []): JsonObject {
  const events = Object.fromEntries(workflows.map(({ id, workflow }) => [`${id}_event`, eventOf(Object.values(eventSchemas(workflow)))]));
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    const at = path.replace(/:(\w+)/g, '{$1}');
    paths[at] = { ...paths[at], [method.toLowerCase()]: toOperation(name, Object.keys(events)) };
  }
  const parts = Object.entries(answerParts).map(([name, schema]) => [name, answerSchema(schema)] as const);
  const schemas = { Error: errorSchema, ...Object.fromEntries(parts), ...events };
  return {
    openapi: '3.1.0',
    info: { title: 'agent-machines', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, schemas },
  };
}

const errorSchema: JsonObject = {
  type: 'object',
  required: ['code', 'message', 'requestId'],
  properties: {
    code: { type: 'string', examples: [...httpErrorCodes, ...errorCodes] },
    message: { type: 'string' },
    hint: { type: 'string' },
    requestId: { type: 'string' },
    data: { type: 'object' },
  },
};

/** Content type of each response that is not JSON. */
const otherTypes: Partial<Readonly<Record<RouteName, string>>> = {
  streamEvents: 'text/event-stream',
  getMetrics: 'text/plain',
  getTest: 'text/plain',
};
const created: ReadonlySet<RouteName> = new Set(['startRun', 'forkRun', 'addDocument', 'addSchedule', 'triggerSchedule']);

function toOperation(name: RouteName, events: readonly string[]): JsonObject {
  const { summary, params, query, body } = contracts[name];
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')];
  const file: JsonObject = {
    'multipart/form-data': { schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] } },
  };
  const given = name === 'addDocument' ? file : body ? { 'application/json': { schema: givenSchema(name, body, events) } } : undefined;
  const other = otherTypes[name];
  const schema = Object.hasOwn(answers, name) ? refOrSchema(answers[name as keyof typeof answers]) : { type: 'string' };
  const done = { description: 'Done.', content: { [other ?? 'application/json']: { schema } } };
  return {
    operationId: name,
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(given ? { requestBody: { required: true, content: given } } : {}),
    responses: {
      ...(created.has(name)
        ? { '201': done, ...(name === 'startRun' || name === 'triggerSchedule' ? { '200': done } : {}) }
        : { '200': done }),
      default: { description: 'Refused.', content: { 'application/json': { schema: refTo('Error') } } },
    },
  };
}

const refTo = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

function refOrSchema(schema: z.ZodType): JsonObject {
  const [name] = Object.entries(answerParts).find(([, part]) => part === schema) ?? [];
  return name === undefined ? answerSchema(schema) : refTo(name);
}

/** An answer to a question is an event of the run's workflow. */
function givenSchema(name: RouteName, body: z.ZodType, events: readonly string[]): JsonObject {
  const schema = schemaOf(body, 'input');
  if (name !== 'send' || events.length === 0) return schema;
  return { ...schema, properties: { ...(schema.properties as JsonObject), event: { anyOf: events.map(refTo) } } };
}

function eventOf(schemas: readonly JsonObject[]): JsonObject {
  const own = schemas.map(({ $defs: _, ...schema }) => withoutRefs(schema));
  return own.length === 0 ? { not: {}, description: 'The workflow asks no questions.' } : { anyOf: own };
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): readonly JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: JsonObject; required?: readonly string[] };
  return Object.entries(properties).map(([name, own]) => ({ name, in: place, required: required.includes(name), schema: own }));
}

const answerSchema = (schema: z.ZodType): JsonObject => schemaOf(schema, 'output');

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, $defs: __, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
  return withoutRefs(rest) as JsonObject;
}

/**
 * The schema of any JSON refers to itself, by a pointer that does not exist in this document. It is replaced by a schema without limits.
 */
function withoutRefs(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutRefs);
  if (!isObject(value)) return value;
  if ('$ref' in value) return {};
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, one]) => [key, withoutRefs(one)]));
}
