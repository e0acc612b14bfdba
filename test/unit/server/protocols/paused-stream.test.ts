// A run that is paused in the middle of a text, and goes on: the text of the first attempt does not stand twice.
import { createRuntime, memoryStore, type NodeIo, type RunEvent } from 'agent-machines';
import {
  agUiEncoder,
  aiSdkEncoder,
  encodeRest,
  openaiChatEncoder,
  openaiResponsesEncoder,
  type ProtocolEvent,
  toAiSdkMessage,
} from 'agent-machines/server';
import { describe, expect, it, vi } from 'vitest';
import { addEvents, emptyLog, liveText } from '../../../../src/studio/model/run-log.ts';
import { failure, final, logWorkflow, node } from '../../../fixtures/log-workflow.ts';
import { framesOf, request, serve } from '../../../fixtures/served.ts';

/** A run whose only node speaks when the test lets it: each attempt waits for its turn. */
function speaking() {
  const speakers: { readonly io: NodeIo; readonly end: () => void }[] = [];
  const speak = (_: unknown, io: NodeIo): Promise<{ log: readonly string[] }> =>
    new Promise((resolve) => {
      speakers.push({ io, end: () => resolve({ log: ['said'] }) });
    });
  const workflow = logWorkflow({ id: 'speaking', states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: speak } });
  const speaker = async (count: number) => {
    await vi.waitFor(() => expect(speakers).toHaveLength(count));
    return speakers[count - 1] as (typeof speakers)[number];
  };
  return { workflow, speaker };
}

const textOf = (events: readonly RunEvent[]): string => events.map((event) => (event.type === 'token' ? event.text : '')).join('');

/** Says half, is paused, and says the whole. @returns what somebody has heard who was there all the time, and who came at the end. */
async function pausedRun() {
  const { workflow, speaker } = speaking();
  const runtime = createRuntime({ store: memoryStore(), workflows: [workflow] });
  const run = runtime.start(workflow, {});
  const heard: RunEvent[] = [];
  const listen = async (events: AsyncIterable<RunEvent>, into: RunEvent[]): Promise<void> => {
    for await (const event of events) into.push(event);
  };
  const first = listen(run.events(), heard);
  (await speaker(1)).io.emit({ type: 'token', text: 'One tw' });
  await vi.waitFor(() => expect(textOf(heard)).toBe('One tw'));
  await runtime.pause(run.id);
  await first;
  const again = await runtime.resume(run.id);
  const second = listen(again.events({ from: (heard.at(-1)?.seq ?? 0) + 1 }), heard);
  const { io, end } = await speaker(2);
  io.emit({ type: 'token', text: 'One two ' });
  const late: RunEvent[] = [];
  const joined = listen(again.events(), late);
  await vi.waitFor(() => expect(textOf(late)).toBe('One two '));
  io.emit({ type: 'token', text: 'three' });
  end();
  await Promise.all([second, joined, again.result]);
  const after: RunEvent[] = [];
  await listen(runtime.events(run.id), after);
  await runtime.close();
  return { heard, late, after };
}

describe('runs paused in the middle of a text', () => {
  it('void the text before it is repeated, also for a late reader', async () => {
    const { heard, late, after } = await pausedRun();
    const reset = { type: 'step-reset', node: 'a#1', seq: 3, at: expect.any(Number) };
    const kinds = (events: readonly RunEvent[]) => events.map((event) => (event.type === 'token' ? event.text : event.type));
    expect(kinds(heard)).toEqual(['run-start', 'node-start', 'One tw', 'step-reset', 'One two ', 'three', 'node-end', 'edge', 'run-end']);
    expect(kinds(late)).toEqual(['run-start', 'node-start', 'step-reset', 'One two ', 'three', 'node-end', 'edge', 'run-end']);
    expect(kinds(after)).toEqual(['run-start', 'node-start', 'step-reset', 'node-end', 'edge', 'run-end']);
    for (const events of [heard, late, after]) expect(events).toContainEqual(reset);
    for (const events of [heard, late, after]) {
      const numbered = events.filter(({ type }) => type !== 'token').map(({ seq }) => seq);
      expect(numbered).toEqual(numbered.map((_, index) => index + 1));
    }
  });

  it('appear once in the studio', async () => {
    const { heard, late } = await pausedRun();
    for (const events of [heard, late]) {
      const spoken = events.slice(0, events.findLastIndex(({ type }) => type === 'token') + 1);
      expect(liveText(addEvents(emptyLog, spoken))).toBe('One two three');
    }
  });

  it.each(['heard', 'late'] as const)('appear once with the clients of each protocol: %s', async (who) => {
    const events = (await pausedRun())[who] as readonly ProtocolEvent[];
    const { parts } = toAiSdkMessage(encodeRest(aiSdkEncoder(), events));
    expect(parts.flatMap((part) => (part.type === 'text' && 'text' in part ? [part.text] : []))).toEqual(['One two three']);

    const agUi = encodeRest(agUiEncoder(), events);
    const shown = agUi.slice(agUi.findLastIndex(({ type }) => type === 'MESSAGES_SNAPSHOT') + 1); // which has no text of before
    expect(shown.map((event) => ('delta' in event && typeof event.delta === 'string' ? event.delta : '')).join('')).toBe('One two three');
    expect(JSON.stringify(agUi).includes('"MESSAGES_SNAPSHOT","messages":[]')).toBe(who === 'heard');

    const { response } = encodeRest(openaiResponsesEncoder(), events).at(-1) as { readonly response: { readonly output: unknown } };
    expect(response.output).toMatchObject([{ status: 'completed', content: [{ text: 'One two three' }] }]);

    const chunks = encodeRest(openaiChatEncoder(), events);
    expect(chunks.map((chunk) => ('choices' in chunk ? (chunk.choices[0]?.delta.content ?? '') : JSON.stringify(chunk))).join('')).toBe(
      'One two three',
    );
  });

  it('are streamed over HTTP to a reader that reconnects after the last event', async () => {
    const { workflow, speaker } = speaking();
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [workflow] });
    const { server, ask } = serve({ store, runtime, workflows: [workflow] });
    const { body: run } = await ask('POST', '/api/runs', { workflow: 'speaking', input: {} });
    const reading = framesOf(await server.fetch(request('GET', `/api/runs/${run.id}/events`)));
    (await speaker(1)).io.emit({ type: 'token', text: 'One tw' });
    await ask('POST', `/api/runs/${run.id}/pause`);
    const before = await reading;
    expect(before.at(-1)).toMatchObject({ event: 'end', data: '{"status":"paused"}' });
    await ask('POST', `/api/runs/${run.id}/resume`);
    const { io, end } = await speaker(2);
    const id = before.findLast((frame) => frame.id !== undefined)?.id ?? '';
    io.emit({ type: 'token', text: 'One two three' });
    const again = await server.fetch(request('GET', `/api/runs/${run.id}/events`, undefined, { 'last-event-id': id }));
    const frames = await framesOf(again, 2);
    expect(frames.map(({ event }) => event)).toEqual(['step-reset', 'token']);
    end();
    expect(JSON.parse(frames[0]?.data ?? '')).toMatchObject({ node: 'a#1' });
    await runtime.close();
  });
});
