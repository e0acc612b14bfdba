import {
  type ChatRequest,
  createRuntime,
  type Json,
  type JsonSchema,
  memoryStore,
  type NodeIo,
  type RunStore,
  type SchemaValidator,
  type StreamEvent,
  WorkflowError,
} from 'agent-machines';
import { askJson, parseJsonReply, scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scenario } from '../../fixtures/scenario.ts';

const request: ChatRequest = { task: 'chat_agent.router', messages: [{ role: 'user', content: 'Hello' }] };
const schema: JsonSchema = {
  type: 'object',
  properties: { route: { enum: ['rag', 'agent'] }, reason: { type: 'string' } },
  required: ['route', 'reason'],
};
/** Leaves what has passed the schema as it is. */
const parse = (value: Json): Json => value;
const good = { route: 'rag', reason: 'documents' };

interface RecordingIo extends Pick<NodeIo, 'emit' | 'signal' | 'step'> {
  readonly events: StreamEvent[];
  readonly steps: string[];
}

/** A node's io whose steps are answered from `recorded`, as after a restart. */
function recordingIo(recorded: Readonly<Record<string, Json>> = {}): RecordingIo {
  const events: StreamEvent[] = [];
  const steps: string[] = [];
  const { signal } = new AbortController();
  return {
    events,
    steps,
    signal,
    emit: (event) => void events.push(event),
    step: (async (key, work) => {
      steps.push(key);
      return key in recorded ? recorded[key] : work({ number: 1, idempotencyKey: key, signal });
    }) as NodeIo['step'],
  };
}

const invalid = (reason: string): unknown => ({
  name: 'WorkflowError',
  code: 'MODEL_OUTPUT_INVALID',
  message: expect.stringContaining(reason),
  hint: expect.stringMatching(/./),
});

describe('askJson', () => {
  it('returns the value and requests the form of the schema', async () => {
    const model = scriptedModel([{ reply: good }]);
    const io = recordingIo();
    await expect(askJson(model, request, { io, schema, parse })).resolves.toEqual(good);
    expect(model.requests).toEqual([{ ...request, signal: io.signal, output: { type: 'json-schema', name: 'chat_agent_router', schema } }]);
    expect(io.events.map(({ type }) => type)).toEqual(['model-start', 'model-end']);
  });

  it('reads a reply in one fenced block', async () => {
    const model = scriptedModel([{ reply: `\`\`\`json\n${JSON.stringify(good)}\n\`\`\`` }]);
    await expect(askJson(model, request, { io: recordingIo(), schema, parse })).resolves.toEqual(good);
  });

  it.each<[string, string, string]>([
    ['prose', 'It is a rag question.', 'it is not JSON'],
    ['prose around it', `Sure: ${JSON.stringify(good)}`, 'it is not JSON'],
    ['a key twice', '{"route":"rag","route":"agent","reason":"x"}', 'occurs twice'],
    ['a dangerous key', '{"route":"rag","reason":"x","__proto__":{}}', 'is not allowed'],
    ['another value', '{"route":"RAG","reason":"x"}', '/route must be equal to one of the allowed values: ["rag","agent"]'],
    ['a missing field', '{"route":"rag"}', "must have required property 'reason'"],
    ['an extra field', '{"route":"rag","reason":"x","confidence":1}', '/confidence is not a declared argument'],
    ['a list', `[${JSON.stringify(good)}]`, 'must be object'],
    ['null', 'null', 'must be object'],
    ['a word', '"rag"', 'must be object'],
  ])('rejects %s without guessing', async (_, reply, reason) => {
    const model = scriptedModel([{ reply }, { reply: good }]);
    await expect(askJson(model, request, { io: recordingIo(), schema, parse, maxRepairs: 0 })).rejects.toMatchObject(
      invalid(reason) as object,
    );
    expect(model.requests).toHaveLength(1);
  });

  it('names every reason', async () => {
    const model = scriptedModel([{ reply: { route: 'x', why: 1 } }]);
    await expect(askJson(model, request, { io: recordingIo(), schema, parse, maxRepairs: 0 })).rejects.toMatchObject({
      message: expect.stringMatching(/^(?=.*'reason')(?=.*\/route)(?=.*\/why)/),
      data: {
        issues: expect.arrayContaining([
          { path: '', message: "must have required property 'reason'" },
          { path: '/why', message: 'is not a declared argument' },
        ]),
      },
    });
  });

  it('retries once with the rejected reply and the reasons', async () => {
    const model = scriptedModel([{ reply: '{"route":"RAG"}' }, { reply: good }]);
    await expect(askJson(model, request, { io: recordingIo(), schema, parse })).resolves.toEqual(good);
    expect(model.requests[1]?.messages).toEqual([
      ...request.messages,
      { role: 'assistant', content: '{"route":"RAG"}' },
      { role: 'user', content: expect.stringMatching(/'reason'.*\/route.*Answer again with one JSON object/s) },
    ]);
    expect(model.requests[1]).toMatchObject({ task: request.task, output: { type: 'json-schema' } });
    expect(request.messages).toHaveLength(1);
  });

  it('gives up after the allowed repairs', async () => {
    const bad = { reply: 'no' };
    const once = scriptedModel([bad, bad, bad, bad]);
    await expect(askJson(once, request, { io: recordingIo(), schema, parse })).rejects.toMatchObject(invalid('it is not JSON') as object);
    expect(once.requests).toHaveLength(2);
    const twice = scriptedModel([bad, bad, { reply: good }]);
    await expect(askJson(twice, request, { io: recordingIo(), schema, parse, maxRepairs: 2 })).resolves.toEqual(good);
    expect(twice.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
  });

  it('does not repair an error of the model', async () => {
    const error = new WorkflowError({ code: 'MODEL_REFUSED', message: 'No.' });
    const model = scriptedModel([{ reply: error }, { reply: good }]);
    await expect(askJson(model, request, { io: recordingIo(), schema, parse })).rejects.toBe(error);
    expect(model.requests).toHaveLength(1);
  });

  it('journals each reply when repairs are possible, and none otherwise', async () => {
    const several = recordingIo();
    await askJson(scriptedModel([{ reply: 'no' }, { reply: good }]), request, { io: several, schema, parse });
    expect(several.steps).toEqual(['ask_chat_agent.router_1', 'ask_chat_agent.router_2']);
    const single = recordingIo();
    await askJson(scriptedModel([{ reply: good }]), request, { io: single, schema, parse, maxRepairs: 0 });
    expect(single.steps).toEqual([]);
  });

  it('validates a recorded reply like a new one', async () => {
    const model = scriptedModel([{ reply: good }]);
    const io = recordingIo({ 'ask_chat_agent.router_1': 'no' });
    await expect(askJson(model, request, { io, schema, parse })).resolves.toEqual(good);
    expect(model.requests.map(({ messages }) => messages[1])).toEqual([{ role: 'assistant', content: 'no' }]);
  });

  it('does not request a committed reply again after a crash', async () => {
    const model = scriptedModel([{ reply: 'no' }, { reply: 'lost' }, { reply: good }]);
    const nothing = async (): Promise<object> => ({});
    const workflow = scenario({
      a: async (_state, io) => ({ log: [JSON.stringify(await askJson(model, request, { io, schema, parse }))] }),
      left: nothing,
      right: nothing,
      c: nothing,
    });
    const store = memoryStore();
    const run = createRuntime({ store: cutAfter(store, 1) }).start(workflow, null);
    expect(await run.result).toMatchObject({ status: 'failed', error: { message: 'The power is off.' } });
    const resumed = await createRuntime({ store, workflows: [workflow] }).resume(run.id, { force: true });
    expect(await resumed.result).toMatchObject({ status: 'waiting' });
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 3]);
    model.assertConsumed();
  });

  it('rejects every reply when the schema is unusable', async () => {
    const model = scriptedModel([{ reply: good }]);
    const broken: JsonSchema = { type: 'object', properties: { route: { type: 'text' } } };
    await expect(askJson(model, request, { io: recordingIo(), schema: broken, parse, maxRepairs: 0 })).rejects.toMatchObject({
      code: 'MODEL_OUTPUT_INVALID',
    });
  });

  it('uses the given validator', async () => {
    const validator: SchemaValidator = {
      compile: (given) => ({
        ok: true,
        ignored: [],
        check: () => (given === schema ? [{ path: '/route', keyword: 'own', message: 'is not liked' }] : []),
      }),
    };
    const model = scriptedModel([{ reply: good }]);
    await expect(askJson(model, request, { io: recordingIo(), schema, parse, maxRepairs: 0, validator })).rejects.toMatchObject(
      invalid('/route is not liked') as object,
    );
  });
});

/** A store that takes `count` entries after the first and then fails, as when the process dies. */
function cutAfter(store: RunStore, count: number): RunStore {
  let left = count;
  return {
    ...store,
    append(lease, entry, activeMs) {
      if (left-- <= 0) throw new Error('The power is off.');
      return store.append(lease, entry, activeMs);
    },
  };
}

describe('askJson: two calls in one visit of a node', () => {
  it('stores the replies under the given steps', async () => {
    const io = recordingIo();
    const model = scriptedModel([{ reply: good }, { reply: { ...good, route: 'agent' } }]);
    const first = await askJson(model, request, { io, schema, parse, step: 'first' });
    const second = await askJson(model, request, { io, schema, parse, step: 'second' });
    expect([first, second]).toEqual([good, { ...good, route: 'agent' }]);
    expect(new Set(io.steps).size).toBe(2);
  });
});

describe('askJson: zod schemas', () => {
  const route = z.strictObject({ route: z.enum(['rag', 'agent']), reason: z.string().trim().min(1) });

  it('sends the JSON Schema and returns the parsed value', async () => {
    const model = scriptedModel([{ reply: { route: 'rag', reason: ' documents ' } }]);
    const reply: { route: 'rag' | 'agent'; reason: string } = await askJson(model, request, { io: recordingIo(), schema: route });
    expect(reply).toEqual(good);
    expect(model.requests[0]?.output).toEqual({
      type: 'json-schema',
      name: 'chat_agent_router',
      schema: {
        type: 'object',
        properties: { route: { type: 'string', enum: ['rag', 'agent'] }, reason: { type: 'string', minLength: 1 } },
        required: ['route', 'reason'],
        additionalProperties: false,
      },
    });
  });

  it.each<[string, unknown, string]>([
    ['another value', { ...good, route: 'RAG' }, '/route must be equal to one of'],
    ['an extra field', { ...good, confidence: 1 }, '/confidence is not a declared argument'],
    ['what only the schema itself can tell', { ...good, reason: '  ' }, 'reason: Too small'],
  ])('rejects %s and retries with the reason', async (_, refused, reason) => {
    const model = scriptedModel([{ reply: JSON.stringify(refused) }, { reply: good }]);
    await expect(askJson(model, request, { io: recordingIo(), schema: route })).resolves.toEqual(good);
    expect(model.requests[1]?.messages[2]?.content).toContain(reason);
  });

  it('rejects an extra field that zod would strip', () => {
    const stripping = z.object({ route: z.string() });
    expect(() => parseJsonReply('{"route":"rag","more":1}', { schema: stripping })).toThrow('/more is not a declared argument');
    expect(parseJsonReply('{"route":"rag"}', { schema: stripping })).toEqual({ route: 'rag' });
  });

  it('leaves a pattern without a linear-time match to zod', () => {
    const schema = z.strictObject({ code: z.string().regex(/^a(?!b)/) });
    expect(parseJsonReply('{"code":"ac"}', { schema })).toEqual({ code: 'ac' });
    expect(() => parseJsonReply('{"code":"ab"}', { schema })).toThrow('code: Invalid string');
  });

  it('requests nothing if the schema has no JSON Schema', async () => {
    const model = scriptedModel([{ reply: good }]);
    const dated = z.strictObject({ when: z.date() });
    await expect(askJson(model, request, { io: recordingIo(), schema: dated })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('has no JSON Schema'),
    });
    expect(model.requests).toEqual([]);
  });

  it('rejects a schema that validates asynchronously', async () => {
    const model = scriptedModel([{ reply: good }]);
    const slow = route.refine(async () => false);
    await expect(askJson(model, request, { io: recordingIo(), schema: slow })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('checks asynchronously'),
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe('parseJsonReply: a JSON Schema with its own parse', () => {
  const toRoute = (value: Json): string => {
    const found = Object(value).route;
    if (found !== 'rag') throw new TypeError('only rag is taken');
    return found;
  };

  it('returns the result of parse and rejects with its error', () => {
    expect(parseJsonReply(JSON.stringify(good), { schema, parse: toRoute })).toBe('rag');
    expect(() => parseJsonReply('{"route":"agent","reason":"x"}', { schema, parse: toRoute })).toThrow(
      expect.objectContaining(invalid('only rag is taken')),
    );
  });

  it('does not parse a reply that the schema rejects', () => {
    expect(() => parseJsonReply('{"route":"rag"}', { schema, parse: toRoute })).toThrow("must have required property 'reason'");
  });
});
