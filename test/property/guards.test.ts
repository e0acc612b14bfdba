import {
  type ChatModel,
  type ChatReply,
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  final,
  node,
  type TextGuard,
  type Tool,
  withAttempts,
} from 'agent-machines';
import type { GuardVerdict } from 'agent-machines/guards';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { crashResume } from 'agent-machines/testing';
import { callTool, defineTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const usage = { inputTokens: 1, outputTokens: 1 };
const reply = (text: string, calls: readonly (readonly [string, object])[] = []): ChatReply => ({
  text,
  toolCalls: calls.map(([name, args], index) => ({ id: `c${index}`, name, arguments: JSON.stringify(args) })),
  usage,
  model: 'm',
  cached: false,
});
/** Calls the tools once, then answers with their results. */
const model = (calls: readonly (readonly [string, object])[]): ChatModel => ({
  name: 'm',
  async generate({ messages, onToken }) {
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    if (results.length === 0) return reply('', calls);
    const text = `risky ${results.join(' ')}`;
    for (const token of text.split(/(?<= )/)) onToken?.(token);
    return reply(text);
  },
});

type Effects = string[];
const send = (effects: Effects, effect: Tool['effect'] = 'once') =>
  defineTool({
    name: 'send',
    description: 'Sends a text.',
    input: z.strictObject({ to: z.string(), n: z.number() }),
    access: 'write',
    effect,
    execute: async ({ to, n }) => {
      effects.push(`${to} ${n}`);
      return { sent: `risky ${to} ${n}` };
    },
  });

const verdicts: Readonly<Record<string, (text: string) => GuardVerdict>> = {
  pass: () => ({ as: 'pass' }),
  mask: (text) => ({ as: 'mask', text: text.replaceAll('risky', '***'), reason: 'risk' }),
  hold: (text) => (text.includes('risky') ? { as: 'hold', reason: 'risk' } : { as: 'pass' }),
  stop: (text) => (text.includes('risky') ? { as: 'stop', reason: 'risk' } : { as: 'pass' }),
  throw: (text) => {
    if (text.includes('risky')) throw new Error(`cannot judge ${text}`);
    return { as: 'pass' };
  },
};
const borders = ['request', 'tool-call', 'tool-result', 'answer'] as const;
const rows = Object.keys(verdicts).flatMap((verdict) => borders.map((border) => [verdict, border] as const));

const guardOf = (verdict: string, border: (typeof borders)[number]): TextGuard => ({
  name: 'risk',
  at: [border],
  check: async (text) => verdicts[verdict]?.(text) ?? { as: 'pass' },
});

/** Borders at which a human can decide. */
const holds: readonly string[] = ['tool-call', 'answer'];
const effectsOfTools = ['once', 'idempotent'] as const;
const cases = rows.flatMap(([verdict, border]) => effectsOfTools.map((effect) => [verdict, border, effect] as const));

describe('a guarded run', () => {
  it.each(cases)('ends the same after a crash at every write: %s at %s of a tool that is %s', async (verdict, border, effect) => {
    const asked: string[] = [];
    let sent: string[] = [];
    const { result, crashes } = await crashResume(
      () => {
        sent = [];
        return toolAgent({
          model: model([
            ['send', { to: 'risky', n: 1 }],
            ['send', { to: 'b', n: 2 }],
          ]),
          tools: [send(sent, effect)],
          guards: [guardOf(verdict, border)],
        });
      },
      { input: 'risky question' },
      {
        answer: ({ question }) => {
          asked.push(JSON.stringify(question));
          return { type: 'APPROVE' };
        },
        compare: ({ result }) => result,
      },
    );
    expect(crashes).toBeGreaterThan(1);
    const isRefused = verdict === 'stop' || verdict === 'throw' || (verdict === 'hold' && !holds.includes(border));
    if (isRefused) {
      const code = { stop: 'GUARD_STOPPED', throw: 'GUARD_FAILED', hold: 'GUARD_HELD' }[verdict];
      expect(result).toMatchObject({ status: 'failed', resumable: false, error: { code, data: { guard: 'risk', border } } });
      expect(JSON.stringify(result)).not.toMatch(/risky|cannot judge/);
    } else {
      expect(result).toMatchObject({ status: 'done', output: { answer: answerOf(verdict, border) } });
    }
    expect(asked.length > 0).toBe(verdict === 'hold' && holds.includes(border));
    const reason = border === 'answer' ? '"heldBy":["risk"]' : 'a guard holds the call (risk)';
    for (const question of asked) expect(question).toContain(reason);
    if (border === 'tool-call' && isRefused) expect(sent.filter((one) => one.startsWith('risky'))).toEqual([]);
  });

  it('never repeats a once call whose result a guard has refused', async () => {
    const sent: string[] = [];
    const runtime = createRuntime();
    const machine = impatientWorkflow(sent);
    const run = runtime.start(machine, {});
    expect(await run.result).toMatchObject({ status: 'done', output: 'GUARD_FAILED' });
    expect(sent).toEqual(['a 1']);
  });
});

const answerOf = (verdict: string, border: string): string => {
  const [first, second] = [`{"sent":"risky ${verdict === 'mask' && border === 'tool-call' ? '***' : 'risky'} 1"}`, '{"sent":"risky b 2"}'];
  const isMasked = verdict === 'mask' && border !== 'tool-call';
  const results = `${first} ${second}`;
  const read = isMasked ? results.replaceAll('risky', '***') : results;
  return `${isMasked && border === 'answer' ? '***' : 'risky'} ${read}`;
};

/** Retries its node, because `GUARD_FAILED` is retryable. */
const impatientWorkflow = (sent: string[]) => {
  const state = defineState<{ out: string }, Record<string, never>, string>({ onError: (_, error) => ({ out: error.code }) });
  const machine = defineMachine(state, {
    id: 'impatient',
    initial: 'work',
    context: () => ({ out: '' }),
    output: ({ out }) => out,
    states: { work: node('work', { done: 'done', error: 'done' }), done: final('success') },
  });
  return defineWorkflow({
    machine,
    guards: [guardOf('throw', 'tool-result')],
    nodes: {
      work: withAttempts(async (_, io) => ({ out: JSON.stringify(await callTool(send(sent), io, { to: 'a', n: 1 })) }), {
        retry: { attempts: 3, firstDelayMs: 1 },
      }),
    },
  });
};
