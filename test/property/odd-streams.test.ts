// Streams as odd as servers make them: however the bytes are cut, the reply is the same, and no part of one is taken for the whole.
import { type Json, type JsonObject, WorkflowError } from 'agent-machines';
import { openaiModel } from 'agent-machines/models/openai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../fixtures/share.ts';

const call = { task: 'test', messages: [{ role: 'user', content: 'Hi' }] } as const;

/** Answers each request with these bytes, cut at these places: what a socket does, without one for each of thousands of streams. */
async function outcomeOf(bytes: Uint8Array, cuts: readonly number[]): Promise<object> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [i, at] of places.entries()) if (i > 0 && at > (places[i - 1] ?? 0)) controller.enqueue(bytes.slice(places[i - 1], at));
      controller.close();
    },
  });
  const { default: OpenAI } = await import('openai');
  const client = new OpenAI({ apiKey: 'sk-test-0123456789', fetch: async () => new Response(body) });
  const pieces: Record<'text' | 'reasoning', string[]> = { text: [], reasoning: [] };
  try {
    const reply = await openaiModel({ model: 'm', client, maxRetries: 0 }).generate({
      ...call,
      onToken: (text) => pieces.text.push(text),
      onReasoning: (text) => pieces.reasoning.push(text),
    });
    expect(pieces.text.join('')).toBe(reply.text);
    expect(pieces.reasoning.join('').trim()).toBe((reply.reasoning ?? '').trim());
    return reply;
  } catch (error) {
    if (!WorkflowError.isInstance(error)) throw error;
    return { code: error.code };
  }
}

const words = fc.constantFrom('Hi', ' 파리', '🗼', '\n', '"', '\\', '<', 'think', '>', 'é', '{', '}');
const text = fc.array(words, { maxLength: 6 }).map((all) => all.join(''));
const thoughts = fc.oneof(
  text.map((content): Json => ({ reasoning_content: content })),
  text.map((content): Json => ({ reasoning: content })),
  text.map((content): Json => ({ content: `<think>${content.replaceAll(/<|>/g, '')}</think>\n\n` })),
  text.map((content): Json => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: content }] }] })),
);
const answers = fc.oneof(
  text.map((content): Json => ({ content })),
  text.map((content): Json => ({ content: [{ type: 'text', text: content }] })),
  fc.constant<Json>({ content: null }),
  fc.constant<Json>({ role: 'assistant' }),
);
const toolCalls = fc
  .record({
    index: fc.option(fc.nat(2), { nil: undefined }),
    id: fc.constantFrom(undefined, '', 'a', 'b'),
    name: fc.constantFrom(undefined, '', 'f', 'g'),
    json: fc.constantFrom('', '{}', '{"a":', '1}', '{"b":"}{"}', ' '),
  })
  .map(
    ({ json, name, ...rest }): Json => ({
      tool_calls: [{ ...definedOf(rest), function: { ...definedOf({ name }), arguments: json } }],
    }),
  );
const definedOf = (fields: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

const chunkOf = (delta: Json, finish: string | null = null): JsonObject => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const noise = fc.constantFrom('', ': keep-alive', 'event: message', 'id: 7', 'retry: 5');

/** A stream, and how many of its bytes there are before any finish reason. */
const streams = fc
  .record({
    deltas: fc.tuple(
      fc.array(thoughts, { maxLength: 2 }),
      fc.array(fc.oneof({ weight: 3, arbitrary: answers }, toolCalls), { maxLength: 6 }),
    ),
    reason: fc.constantFrom('stop', 'STOP', 'tool_calls', 'eos', 'function_call', 'length', 'error'),
    usage: fc.constantFrom<Json | undefined>(undefined, null, { prompt_tokens: 3 }, { prompt_tokens: 1.5, completion_tokens: 2 }),
    done: fc.boolean(),
    end: lineEnd,
    noise,
    mark: fc.boolean(),
  })
  .map(({ deltas, reason, usage, done, end, noise, mark }) => {
    const event = (data: string): string => `${noise === '' ? '' : `${noise}${end}`}data: ${data}${end}${end}`;
    const before = `${mark ? '\uFEFF' : ''}${deltas
      .flat()
      .map((delta) => event(JSON.stringify(chunkOf(delta))))
      .join('')}`;
    const last = event(JSON.stringify({ ...chunkOf({}, reason), ...(usage === undefined ? {} : { usage }) }));
    const encoder = new TextEncoder();
    const bytes = encoder.encode(`${before}${last}${done ? event('[DONE]') : ''}`);
    return { bytes, open: encoder.encode(before).length };
  });

describe('openaiModel on odd streams', { timeout: 300_000 }, () => {
  it('reads a stream alike for every split', async () => {
    await fc.assert(
      fc.asyncProperty(streams, fc.array(fc.nat(4_000), { maxLength: 12 }), async ({ bytes }, cuts) => {
        expect(await outcomeOf(bytes, cuts)).toEqual(await outcomeOf(bytes, []));
      }),
      { numRuns: share(400) },
    );
  });

  it('reads a stream alike byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(streams, async ({ bytes }) => {
        const everywhere = Array.from(bytes, (_, at) => at);
        expect(await outcomeOf(bytes, everywhere)).toEqual(await outcomeOf(bytes, []));
      }),
      { numRuns: share(40) },
    );
  });

  it('never returns a partial reply before a finish reason', async () => {
    await fc.assert(
      fc.asyncProperty(streams, fc.nat(4_000), async ({ bytes, open }, at) => {
        expect(await outcomeOf(bytes.slice(0, at % (open + 1)), [])).toEqual({ code: 'MODEL_STREAM_CUT' });
      }),
      { numRuns: share(400) },
    );
  });
});
