// The OpenAPI document against what the server really answers, and what it really takes.
import { createRuntime, type Json, type JsonObject, memoryStore } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { asking, serve } from '../../../fixtures/served.ts';
import { knowledge } from '../../../machines/guide-agent/helpers.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> }>>;
}

const workflows = [asking, guideAgent({ knowledge }), toolAgent()];
const served = () => {
  const store = memoryStore();
  return serve({ store, runtime: createRuntime({ store, workflows }), workflows });
};

/** A judge of values by the schemas of the document, which are those of JSON Schema 2020-12. */
function judge(document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'https://agents.test/openapi.json' });
  const found = (path: string, method: string): Operation | undefined =>
    Object.entries(document.paths).find(([pattern]) => new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))?.[1][
      method.toLowerCase()
    ];
  return (path: string, method: string, status: number, value: Json): readonly string[] => {
    const operation = found(path, method);
    const { content } = operation?.responses[String(status)] ?? operation?.responses.default ?? {};
    const schema = content?.['application/json']?.schema;
    if (!schema) return [`${method} ${path}: ${status} is not described`];
    const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://agents.test/openapi.json#/')) as object);
    return check(value) ? [] : [`${method} ${path}: ${ajv.errorsText(check.errors)}`];
  };
}

it('describes every answer', async () => {
  const { ask, runtime } = served();
  const { body: document } = await ask('GET', '/api/openapi.json');
  const fits = judge(document);
  const wrong: string[] = [];
  const seen = async (method: string, path: string, given?: unknown): Promise<{ id: string; interrupts: { id: string }[] }> => {
    const { status, body } = await ask(method, path, given);
    wrong.push(...fits(path.split('?')[0] ?? '', method, status, body));
    return body;
  };
  const { id } = await seen('POST', '/api/runs', { workflow: 'asking', input: { log: ['a'] }, threadId: 't' });
  await runtime.resume(id).then((run) => run.result);
  const paths = ['', '/journal', '/state'].map((part) => `/api/runs/${id}${part}`);
  const lists = ['/api/runs', '/api/runs/waiting', '/api/threads', '/api/threads/t', '/api/workflows', '/api/workflows/asking'];
  const others = ['/api/workflows/guide_agent/drawing', '/api/tools', '/api/model', '/api/documents', '/api/openapi.json', '/api/runs/r_9'];
  for (const path of [...paths, ...lists, ...others]) await seen('GET', path);
  const { interrupts } = await seen('GET', `/api/runs/${id}`);
  await seen('POST', `/api/runs/${id}/answer`, { interruptId: interrupts[0]?.id, event: { type: 'NO' } });
  await seen('POST', `/api/runs/${id}/answer`, { interruptId: interrupts[0]?.id, event: { type: 'SAY', text: 'x' } });
  await runtime.resume(id).then((run) => run.result);
  await seen('PATCH', '/api/threads/t', { title: 'x' });
  await seen('POST', `/api/runs/${id}/fork`, { at: 'work#1' });
  await seen('POST', `/api/runs/${id}/cancel`);
  await seen('DELETE', '/api/threads/t');
  expect(wrong).toEqual([]);
  await runtime.close();
});

it('lists the answers of questions as the machines accept them', async () => {
  const { ask, runtime } = served();
  const { components, paths } = (await ask('GET', '/api/openapi.json')).body;
  const { schemas } = components as { schemas: Record<string, JsonObject> };
  const fits = (name: string, event: Json): boolean => new Ajv2020({ strict: false }).compile(schemas[name] ?? {})(event) === true;
  expect(paths['/api/runs/{id}/answer'].post.requestBody.content['application/json'].schema.properties.event).toEqual({
    anyOf: ['asking_event', 'guide_agent_event', 'tool_agent_event'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  });
  const cases: readonly (readonly [name: string, event: Json, fits: boolean])[] = [
    ['guide_agent_event', { type: 'APPROVE' }, true],
    ['guide_agent_event', { type: 'APPROVE', and: 'more' }, false],
    ['guide_agent_event', { type: 'REVISE', feedback: 'shorter' }, true],
    ['guide_agent_event', { type: 'REVISE' }, false],
    ['guide_agent_event', { type: 'EDIT', sub_tasks: ['a', 'b'] }, true],
    ['guide_agent_event', { type: 'EDIT', arguments: { a: 1 } }, true],
    ['guide_agent_event', { type: 'EDIT', sub_tasks: [] }, false],
    ['guide_agent_event', { type: 'NO_SUCH' }, false],
    ['tool_agent_event', { type: 'EDIT', arguments: { a: 1 } }, true],
    ['tool_agent_event', { type: 'REJECT', reason: '' }, false],
    ['asking_event', { type: 'SAY', text: 'what its parser takes is not said' }, true],
  ];
  for (const [name, event, expected] of cases) expect(fits(name, event), JSON.stringify([name, event])).toBe(expected);
  expect((await ask('GET', '/api/workflows/guide_agent')).body.events.REVISE).toMatchObject({ required: ['type', 'feedback'] });
  await runtime.close();
});
