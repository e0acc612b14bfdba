import { createRuntime, type Json, type StreamEvent, type TextGuard, WorkflowError } from 'agent-machines';
import { maskSecrets } from 'agent-machines/guards';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { askModel, cachedModel, type ScriptedReply, scriptedModel } from 'agent-machines/models';
import { agUiRoutes, aiSdkRoutes } from 'agent-machines/server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { share } from '../../fixtures/share.ts';

const request = { task: 'trip', messages: [], output: { type: 'json' } } as const;

const partialsOf = (events: readonly StreamEvent[]): Json[] =>
  events.flatMap((event) => (event.type === 'custom' && event.name === 'partial-output' ? [event.data] : []));

/** Events of a reply that arrives in these pieces. */
async function eventsOf(tokens: readonly string[], more: { readonly stream?: boolean; readonly output?: { readonly type: 'text' } } = {}) {
  const events: StreamEvent[] = [];
  const { stream = true, output = request.output } = more;
  const model = scriptedModel([{ reply: tokens.join(''), tokens }]);
  const io = { signal: new AbortController().signal, emit: (event: StreamEvent) => void events.push(event) };
  await askModel(model, { ...request, output }, { io, stream });
  return events;
}

const shownOf = async (...tokens: readonly string[]): Promise<Json[]> => partialsOf(await eventsOf(tokens));

const pad = '{"pad":"0123456789012345678901234567",'; // above the smallest growth that is shown

/** What is shown of a text that has come so far. */
async function cutOf(text: string): Promise<Json | undefined> {
  const [first] = await shownOf(text, ' never valid');
  return first;
}

/** True for a value that may still become the other one. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (Array.isArray(part)) {
    const before = (at: number): boolean =>
      at < part.length - 1 ? same(part[at], Object(whole)[at]) : isBeginning(part[at], Object(whole)[at]);
    return Array.isArray(whole) && part.length <= whole.length && part.every((_, at) => before(at));
  }
  if (typeof part !== 'object' || part === null) return same(part, whole);
  const [names, values] = [Object.keys(part), Object.values(part)];
  return (
    same(names, Object.keys(Object(whole)).slice(0, names.length)) &&
    isBeginning(values, Object.values(Object(whole)).slice(0, names.length))
  );
}
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const exact = (_: string, value: unknown): unknown => (typeof value === 'number' ? Math.round((value % 1e6) * 100) / 100 : value);
/** JSON whose numbers are not too small or too large to be read back. */
const jsonValue = fc.jsonValue({ depthSize: 'medium' }).map((value) => JSON.parse(JSON.stringify(value, exact)));

describe('partial output', () => {
  it.each([
    ['"city":"Bus', { city: 'Bus' }],
    ['"city', {}],
    ['"city":', {}],
    ['"city":"Busan","days":3', { city: 'Busan' }],
    ['"city":"Busan","days":3,', { city: 'Busan', days: 3 }],
    ['"ok":tru', {}],
    ['"ok":true}', { ok: true }],
    ['"stops":[{"at":"Jinju"},{"at":"Ma', { stops: [{ at: 'Jinju' }, { at: 'Ma' }] }],
    ['"stops":[1,2', { stops: [1] }],
    ['"text":"a\\', { text: 'a' }],
    ['"text":"a\\\\', { text: 'a\\' }],
    ['"text":"a\\u00', { text: 'a' }],
    ['"text":"a\\\\ud83d', { text: 'a\\ud83d' }],
    ['"text":"a\\ud83d', { text: 'a' }],
    ['"text":"a\ud83d', { text: 'a' }],
    ['"text":"}],{', { text: '}],{' }],
  ])('is read from a text that has come up to %s', async (text, expected) => {
    expect(await cutOf(pad + text)).toEqual({ pad: '0123456789012345678901234567', ...expected });
  });

  it.each([
    ['prose', `The answer to your question is ${pad}"a":1}`],
    ['a text in quotes', '"0123456789012345678901234567890123456789"'],
    ['brackets that do not match', `${pad}"a":[1}`],
    ['a dangerous key', `${pad}"__proto__":{"a":1}`],
    ['a key twice', `${pad}"a":1,"a":2}`],
    ['a value without a key', `${pad}1,2,3}`],
    ['lists nested too deeply', `${pad}"a":${'['.repeat(90_000)}`],
  ])('is not shown for %s', async (_, text) => {
    expect(await cutOf(text)).toBeUndefined();
  });

  it('is a beginning of the whole value, after a cut anywhere, and the last one is whole', async () => {
    await fc.assert(
      fc.asyncProperty(jsonValue, fc.nat(), fc.constantFrom(undefined, 1), fc.boolean(), async (value, at, space, fenced) => {
        const whole = { pad: 'p'.repeat(40), value };
        const json = JSON.stringify(whole, null, space);
        const text = fenced ? `\`\`\`json\n${json}\n\`\`\`` : json;
        fc.pre(!/"(?:__proto__|constructor|prototype)"/.test(json));
        const cut = 60 + (at % Math.max(1, text.length - 60));
        const shown = await shownOf(text.slice(0, cut), text.slice(cut));
        expect(shown.at(-1)).toEqual(JSON.parse(json));
        for (const part of shown) expect(isBeginning(part, JSON.parse(json))).toBe(true);
      }),
      { numRuns: share(2_000) },
    );
  });

  it('is shown far less often than tokens come, and all of it together stays in proportion to the text', async () => {
    const text = JSON.stringify({ items: Array.from({ length: 1_000 }, (_, at) => ({ name: `item ${at}`, count: at })) });
    const shown = await shownOf(...text);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.length).toBeLessThan(120);
    expect(JSON.stringify(shown).length).toBeLessThan(20 * text.length);
    expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(shown.length);
  });

  it('is shown once for a short answer, and not at all beyond 100,000 characters', async () => {
    expect(await shownOf(...'{"city":"Busan"}')).toEqual([{ city: 'Busan' }]);
    expect(await shownOf(`{"text":"${'x'.repeat(100_000)}"}`)).toEqual([]);
  });

  it('needs a stream and a form of the answer', async () => {
    const json = `${pad}"a":1}`;
    expect(partialsOf(await eventsOf([json]))).toHaveLength(1);
    expect(partialsOf(await eventsOf([json], { stream: false }))).toEqual([]);
    expect(partialsOf(await eventsOf([json], { output: { type: 'text' } }))).toEqual([]);
  });

  it('begins again after the reset of a stream that was cut', async () => {
    const events: StreamEvent[] = [];
    const io = { signal: new AbortController().signal, emit: (event: StreamEvent) => void events.push(event) };
    const cut: ScriptedReply = { reply: new WorkflowError({ code: 'MODEL_STREAM_CUT', message: 'cut' }), tokens: [`${pad}"city":"Bus`] };
    const json = `${pad}"city":"Jeju"}`;
    await askModel(scriptedModel([cut, { reply: json }]), request, { io, stream: true });
    const told = events.flatMap((event) => (event.type === 'step-reset' ? ['reset'] : partialsOf([event])));
    expect(told).toEqual([expect.objectContaining({ city: 'Bus' }), 'reset', expect.objectContaining({ city: 'Jeju' })]);
  });

  it('is shown whole for a reply from a cache', async () => {
    const json = `${pad}"a":1}`;
    const model = cachedModel(scriptedModel([{ reply: json }]));
    for (const cached of [false, true]) {
      const events: StreamEvent[] = [];
      const io = { signal: new AbortController().signal, emit: (event: StreamEvent) => void events.push(event) };
      const reply = await askModel(model, { ...request, deterministic: true }, { io, stream: true });
      expect({ cached: reply.cached, shown: partialsOf(events) }).toEqual({ cached, shown: [JSON.parse(json)] });
    }
  });
});

describe('partial output of a tool-agent', () => {
  const trip = { city: 'Busan', plan: 'We walk along the coast from Haeundae to Songjeong.' };
  const agent = (replies: readonly ScriptedReply[]) =>
    toolAgent({ id: 'trip', model: scriptedModel(replies), output: z.strictObject({ city: z.string(), plan: z.string() }) });
  const text = JSON.stringify(trip);
  const spoken: ScriptedReply = { reply: text, tokens: [text.slice(0, 50), text.slice(50)] };

  it('is live only, voided by the request for a repair, and no part of the journal', async () => {
    const wrong = JSON.stringify({ town: 'Busan', plan: trip.plan });
    const workflow = agent([{ reply: wrong, tokens: [wrong] }, spoken]);
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    const told: Json[] = [];
    for await (const event of run.events()) {
      if (event.type === 'step-reset') told.push('reset');
      if (event.type === 'custom') told.push(...partialsOf([event]));
    }
    expect(told).toEqual([JSON.parse(wrong), 'reset', { city: 'Busan', plan: expect.stringMatching(/^We walk/) }, trip]);
    expect((await run.result).status).toBe('done');
    expect(JSON.stringify(await runtime.history(run.id))).not.toContain('partial-output');
  });

  it('has nothing that a guard masks, and nothing of an answer that a guard stops', async () => {
    const text = JSON.stringify({ city: 'Busan', plan: 'Take the key sk-abcdefghijklmnop1234 and walk along the coast.' });
    const stop = { name: 'stop', at: ['answer' as const], check: () => ({ as: 'stop' as const, reason: 'no' }) };
    const shown = async (guard: TextGuard): Promise<Json[]> => {
      const model = scriptedModel([{ reply: text, tokens: [text.slice(0, 50), text.slice(50)] }]);
      const workflow = toolAgent({ model, guards: [guard], output: z.strictObject({ city: z.string(), plan: z.string() }) });
      const seen: Json[] = [];
      for await (const event of createRuntime().start(workflow, { input: 'q' }).events()) {
        if (event.type === 'custom') seen.push(...partialsOf([event]));
      }
      return seen;
    };
    const masked = await shown(maskSecrets());
    expect(masked.at(-1)).toMatchObject({ city: 'Busan', plan: expect.stringMatching(/walk along the coast/) });
    expect(JSON.stringify(masked)).not.toContain('abcdefgh');
    expect(await shown(stop)).toEqual([]);
  });

  it.each([
    ['AI SDK', aiSdkRoutes, '/api/ai-sdk/trip', { id: 't', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'q' }] }] }],
    ['AG-UI', agUiRoutes, '/api/ag-ui/trip', { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'q' }] }],
  ])('goes through the protocol %s as its custom events', async (_, routes, path, body) => {
    const workflow = agent([spoken]);
    const runtime = createRuntime({ workflows: [workflow] });
    onTestFinished(() => runtime.close());
    const app = routes({ runtime, workflows: [{ id: 'trip', workflow }] });
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect({ status: response.status, text: await response.text() }).toMatchObject({
      status: 200,
      text: expect.stringMatching(/"partial-output"[^\n]*"city":"Busan"/),
    });
  });
});
