import { createRuntime, defineState, defineWorkflow, type NodeIo, WorkflowError } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { jsonBytes } from '../../../../src/core/util/json-bytes.ts';
import { toJson } from '../../../../src/core/util/to-json.ts';
import { codePoint } from '../../../fixtures/code-point.ts';
import { failure, final, type LogHandler, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';
import { waitingFor } from '../../../fixtures/waiting-for.ts';

const MiB = 1024 * 1024;
const text = (bytes: number): string => 'x'.repeat(bytes);
const one = (a: LogHandler) => logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a } });

/** Without the one key that is refused in any size. */
const values = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__'));

describe('size of JSON', () => {
  it('equals the size of its text', () => {
    fc.assert(
      fc.property(values, fc.string({ unit: codePoint }), (value, words) => {
        const json = toJson([value, words, { [`k${words}`]: words }], 'value');
        expect(jsonBytes(json)).toBe(new TextEncoder().encode(JSON.stringify(json)).length);
      }),
    );
  });

  it('is rejected above the limit, and accepted at it', () => {
    fc.assert(
      fc.property(values, fc.string({ unit: codePoint }), (value, words) => {
        const whole = [value, words];
        const bytes = jsonBytes(toJson(whole, 'value'));
        expect(toJson(whole, 'value', bytes)).toEqual(toJson(whole, 'value'));
        expect(() => toJson(whole, 'value', bytes - 1)).toThrow(
          expect.objectContaining({ code: 'OUTPUT_TOO_LARGE', data: { bytes, maxBytes: bytes - 1 } }),
        );
      }),
    );
  });
});

describe('a value above the size limit', () => {
  it('fails the node that returns it, with the size in the error', async () => {
    const run = createRuntime().start(
      one(async () => ({ log: [text(9 * MiB)] })),
      {},
    );
    const bytes = 9 * MiB + '{"log":[""]}'.length;
    expect(await run.result).toMatchObject({
      finalState: 'failed',
      error: { code: 'OUTPUT_TOO_LARGE', data: { bytes, maxBytes: 8 * MiB } },
    });
  });

  it('fails the step that returns it', async () => {
    const run = createRuntime().start(
      one(async (_state, io) => {
        await io.step('big', async () => text(9 * MiB));
        return {};
      }),
      {},
    );
    expect(await run.result).toMatchObject({ finalState: 'failed', error: { code: 'OUTPUT_TOO_LARGE' } });
  });

  it.each<[string, (io: NodeIo) => unknown]>([
    ['an event that is kept', (io) => io.emit({ type: 'thinking', step: 'a', content: text(9 * MiB) })],
    ['an event that is live only', (io) => io.emit({ type: 'custom', name: 'a', data: text(9 * MiB) })],
    ['the arguments of a call', (io) => io.emit({ type: 'tool-start', callId: 'a', tool: 'a', args: text(9 * MiB) })],
    ['what a step says of itself', (io) => io.step('a', async () => null, { effect: 'once', describe: text(9 * MiB) })],
  ])('fails the node that emits it: %s', async (_what, say) => {
    const saying = one(async (_state, io) => {
      await say(io);
      return {};
    });
    const runtime = createRuntime();
    const run = runtime.start(saying, {});
    expect(await run.result).toMatchObject({ finalState: 'failed', error: { code: 'OUTPUT_TOO_LARGE' } });
    expect(JSON.stringify(await runtime.history(run.id)).length).toBeLessThan(10_000);
  });

  it('is rejected as metadata, as the patch of a fork and as the result of a call in doubt', async () => {
    const runtime = createRuntime();
    const cutOff = (): Promise<never> => Promise.reject(new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'cut off' }));
    const workflow = logWorkflow({
      states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: failure },
      nodes: { a: async () => ({}), b: async (_state, io) => ({ log: [await io.step('pay', cutOff, { effect: 'once' })] }) },
    });
    const large = text(9 * MiB);
    const refused = { code: 'OUTPUT_TOO_LARGE' };
    expect(() => runtime.start(workflow, {}, { metadata: { large } })).toThrow(expect.objectContaining(refused));
    const run = runtime.start(workflow, {});
    expect((await run.result).status).toBe('in_doubt');
    await expect(runtime.fork(run.id, { at: 'a#1', patch: { log: [large] } })).rejects.toMatchObject(refused);
    await expect(runtime.resolve(run.id, 'b#1/pay', { as: 'done', output: large })).rejects.toMatchObject(refused);
    expect([(await runtime.get(run.id)).status, (await runtime.list()).length]).toEqual(['in_doubt', 1]);
  });

  it("is rejected as a human's event and as an input", async () => {
    const runtime = createRuntime();
    const workflow = logWorkflow({ states: { ask: waiting({ SAY: 'done' }), done: final } });
    const run = runtime.start(workflow, {});
    const { id } = waitingFor(await run.result);
    await expect(runtime.send(run.id, { type: 'SAY', text: text(9 * MiB) }, { interruptId: id })).rejects.toMatchObject({
      code: 'OUTPUT_TOO_LARGE',
    });
    expect((await runtime.get(run.id)).status).toBe('waiting');
    expect(() => runtime.start(workflow, { log: [text(9 * MiB)] })).toThrow(expect.objectContaining({ code: 'OUTPUT_TOO_LARGE' }));
  });

  it('is rejected as an emitted event', async () => {
    const state = defineState<{ text: string }, null, number>();
    const machine = setup({ types: state.types, actors: { a: state.slot('a') }, actions: { merge: state.merge } }).createMachine({
      id: 'm',
      initial: 'a',
      context: { text: '' },
      output: ({ context }) => context.text.length,
      states: {
        a: {
          invoke: {
            src: 'a',
            input: ({ context }) => context,
            onDone: { target: 'done', actions: 'merge' },
            onError: { target: 'failed', actions: 'merge' },
          },
        },
        done: { type: 'final' },
        failed: { type: 'final', tags: 'failure' },
      },
    });
    const define = (bytes: number, a: number) =>
      defineWorkflow({ machine, nodes: { a: async () => ({ text: text(bytes) }) }, maxOutputBytes: { a } });
    expect(await createRuntime().start(define(100, 50), null).result).toMatchObject({ error: { code: 'OUTPUT_TOO_LARGE' } });
    expect(await createRuntime().start(define(9 * MiB, 10 * MiB), null).result).toMatchObject({ finalState: 'done', output: 9 * MiB });
    expect(() => define(1, 0)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
