// The tokens of a run: all that its model calls have reported, whatever became of their replies, and whatever process asked for them.
import { type ChatModel, type ChatReply, createRuntime, memoryStore, type TokenUsage, WorkflowError } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { crashResume } from 'agent-machines/testing';
import { asTool } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { share } from '../fixtures/share.ts';
import { echo } from '../fixtures/text-tools.ts';

const noUsage = { inputTokens: 0, outputTokens: 0 };
const usage = fc.oneof(
  fc.constant(noUsage),
  fc.record({ inputTokens: fc.nat(99), outputTokens: fc.nat(99) }),
  fc.record({ inputTokens: fc.nat(99), outputTokens: fc.nat(99), cachedInputTokens: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ inputTokens: fc.nat(99), outputTokens: fc.nat(99), reasoningTokens: fc.integer({ min: 1, max: 9 }) }),
);
const kind = fc.constantFrom(
  ...(['answer', 'not-json', 'echo', 'two-agents', 'unknown-tool', 'MODEL_TRUNCATED', 'MODEL_REFUSED', 'MODEL_STREAM_CUT'] as const),
);
const replies = fc.array(fc.record({ kind, usage }), { maxLength: 4 });
type Replies = typeof replies extends fc.Arbitrary<infer T> ? T : never;
const world = fc.record({ replies, inner: replies, typed: fc.boolean() });

const calls = (...names: readonly string[]): ChatReply['toolCalls'] =>
  names.map((name, at) => ({ id: `c${at}`, name, arguments: '{"text":"x","input":"x"}' }));

/** A model that answers by what it is asked, so that a restart meets the same replies. It adds up what it reports. */
function countingModel(tape: Replies, reported: Required<TokenUsage>[]): ChatModel {
  return {
    name: 'counting',
    async generate({ messages }) {
      const { kind, usage } = tape[messages.filter(({ role }) => role === 'assistant').length] ?? { kind: 'answer', usage: noUsage };
      reported.push({ cachedInputTokens: 0, reasoningTokens: 0, ...usage });
      if (kind.startsWith('MODEL_'))
        throw new WorkflowError({ code: kind as 'MODEL_TRUNCATED', message: kind, data: { usage: { ...usage } } });
      const names = { echo: ['echo'], 'two-agents': ['first', 'second'], 'unknown-tool': ['nothing'] }[kind as 'echo'] ?? [];
      const text = kind === 'answer' ? '{"n":1}' : kind === 'not-json' ? 'one' : '';
      return { text, toolCalls: calls(...names), model: 'counting', usage, finishReason: 'stop', cached: false } as ChatReply;
    },
  };
}

const sumOf = (reported: readonly Required<TokenUsage>[]): TokenUsage | undefined => {
  const sum = (name: keyof TokenUsage): number => reported.reduce((total, one) => total + one[name], 0);
  const [inputTokens, outputTokens] = [sum('inputTokens'), sum('outputTokens')];
  const [cachedInputTokens, reasoningTokens] = [sum('cachedInputTokens'), sum('reasoningTokens')];
  if (inputTokens + outputTokens === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  };
};

function agentIn({ replies, inner, typed }: typeof world extends fc.Arbitrary<infer T> ? T : never) {
  const reported: Required<TokenUsage>[] = [];
  const helper = (name: string) =>
    asTool(toolAgent({ model: countingModel(inner, reported), tools: [echo()] }), { name, description: `Is ${name}.` });
  const workflow = toolAgent({
    model: countingModel(replies, reported),
    tools: [echo(), helper('first'), helper('second')],
    ...(typed ? { output: z.object({ n: z.number() }) } : {}),
  });
  return { workflow, reported };
}

describe('RunResult.usage', () => {
  it('is the sum of what all model calls have reported, of sub-agents and unusable replies too', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const { workflow, reported } = agentIn(drawn);
        const runtime = createRuntime({ workflows: [workflow] });
        const run = runtime.start(workflow, { input: 'q' });
        const result = await run.result;
        expect(result.usage).toEqual(sumOf(reported));
        expect((await runtime.get(run.id)).result?.usage).toEqual(result.usage);
      }),
      { numRuns: share(300) },
    );
  });

  it('is the same after a crash before any write', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const { workflow, reported } = agentIn(drawn);
        await createRuntime().start(workflow, { input: 'q' }).result;
        const expected = sumOf(reported);
        const { crashes } = await crashResume(
          () => agentIn(drawn).workflow,
          { input: 'q' },
          {
            onEnd: ({ result }) => expect(result.usage).toEqual(expected),
          },
        );
        expect(crashes).toBeGreaterThan(0);
      }),
      { numRuns: share(100) },
    );
  });

  it('counts the calls before and after a question, in another process', async () => {
    const store = memoryStore();
    const model = scriptedModel([
      { reply: { toolCalls: [{ name: 'pay', arguments: { text: 'x' } }] }, usage: { inputTokens: 10, outputTokens: 1 } },
      { reply: 'Paid.', usage: { inputTokens: 20, outputTokens: 2 } },
    ]);
    const workflow = toolAgent({ model, tools: [echo('pay', { needsApproval: true })] });
    const first = createRuntime({ store, workflows: [workflow] });
    const run = first.start(workflow, { input: 'q' });
    const asked = await run.result;
    expect(asked).toMatchObject({ status: 'waiting', usage: { inputTokens: 10, outputTokens: 1 } });
    await first.close();
    const second = createRuntime({ store, workflows: [workflow] });
    const interruptId = asked.status === 'waiting' ? (asked.interrupt?.id ?? '') : '';
    const answered = await second.send(run.id, { type: 'APPROVE' }, { interruptId });
    expect(await answered.result).toMatchObject({ status: 'done', usage: { inputTokens: 30, outputTokens: 3 } });
    const again = await second.resume(run.id);
    expect((await again.result).usage).toEqual({ inputTokens: 30, outputTokens: 3 });
  });

  it('is absent when no call has reported tokens', async () => {
    const workflow = toolAgent({ model: scriptedModel([{ reply: 'Hello.' }]), tools: [] });
    expect(await createRuntime().start(workflow, { input: 'q' }).result).not.toHaveProperty('usage');
  });
});
