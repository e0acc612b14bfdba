// The rule of approval, written down a second time, against what the executor does with any tools, in any order, with any outcomes.
import { noTaint, type Taint, type Tool, WorkflowError } from 'agent-machines';
import {
  executeCalls,
  executePlan,
  type HeldCall,
  type PastCall,
  type PastStep,
  parsePlan,
  parseToolCall,
  toolSignature,
} from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../fixtures/share.ts';

const letters = ['a', 'b', 'kim@other.test'];
const anyTool = fc.record({
  capabilities: fc.option(fc.record({ private: fc.boolean(), untrusted: fc.boolean(), external: fc.boolean() }), { nil: undefined }),
  effect: fc.constantFrom('pure' as const, 'idempotent' as const, 'once' as const, undefined),
  risk: fc.constantFrom('low' as const, 'high' as const, undefined),
  asks: fc.constantFrom<'never' | 'always' | 'of b' | 'throws'>('never', 'never', 'never', 'always', 'of b', 'throws'),
  fails: fc.boolean(),
  reaches: fc.constantFrom<'ours' | 'theirs' | 'both' | 'nothing' | undefined>('ours', 'theirs', 'both', 'nothing', undefined, undefined),
});
const allowTargets = ['*.example.com'];
const targetsOf = { ours: ['api.example.com'], theirs: ['example.com.evil.test'], both: ['api.example.com', 'evil.test'], nothing: [] };
type AnyTool = typeof anyTool extends fc.Arbitrary<infer T> ? T : never;

const anyCall = fc.record({ tool: fc.nat(3), text: fc.constantFrom(...letters), from: fc.boolean() });
const anyThread = fc.record({
  tools: fc.array(anyTool, { minLength: 4, maxLength: 4 }),
  /** Batches of calls, one after the other. */
  batches: fc.array(fc.array(anyCall, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
  /** Does the human say yes to the held call with this number? */
  says: fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
  allowEgress: fc.boolean(),
  sequential: fc.boolean(),
});

/** The rule, in other words than the executor's. */
function mustAsk(tool: AnyTool, text: string, seen: Taint, allowEgress: boolean): boolean {
  const goesOut = tool.capabilities ? tool.capabilities.external : true;
  const cannotBeUndone = tool.effect === undefined || tool.effect === 'once';
  if (tool.asks === 'always' || tool.asks === 'throws' || (tool.asks === 'of b' && text === 'b')) return true;
  if (goesOut && tool.reaches === 'ours') return false;
  if (seen.untrusted && (tool.risk === 'high' || cannotBeUndone)) return true;
  if (seen.untrusted && goesOut && (tool.reaches !== undefined || text.includes('@'))) return true;
  return seen.private && goesOut && !allowEgress;
}

interface Made {
  readonly tool: number;
  readonly text: string;
  /** What was in the thread when the tool was asked. */
  readonly seen: Taint;
}

/** A thread: its tools, every call that a tool was really asked for, and what it has brought. */
function threadOf(specs: readonly AnyTool[]) {
  const made: Made[] = [];
  let seen: Taint = noTaint;
  const tools = specs.map(({ capabilities, effect, risk, asks, fails, reaches }, index): Tool => {
    const needsApproval: Tool['needsApproval'] =
      asks === 'of b'
        ? async ({ text }) => text === 'b'
        : asks === 'throws'
          ? () => {
              throw new Error('no idea');
            }
          : asks === 'always';
    return {
      name: `tool_${index}`,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
      ...(capabilities ? { capabilities } : {}),
      ...(effect ? { effect } : {}),
      ...(risk ? { risk } : {}),
      ...(reaches ? { targets: () => targetsOf[reaches] } : {}),
      needsApproval,
      async execute({ text }) {
        made.push({ tool: index, text: String(text), seen });
        seen = {
          private: seen.private || (capabilities?.private ?? true),
          untrusted: seen.untrusted || (capabilities?.untrusted ?? true),
          user: false,
        };
        if (fails) throw new WorkflowError({ code: 'TOOL_FAILED', message: 'what it has seen' });
        return String(text);
      },
    };
  });
  return { tools, made, seen: () => seen };
}

const indexOf = (tool: string): number => Number(tool.slice('tool_'.length));
const count = { held: 0, made: 0, spared: 0, approved: 0 };

type Any = typeof anyThread extends fc.Arbitrary<infer T> ? T : never;

/** What may differ between the two: the state of the thread before a batch, and after it. */
interface Looked {
  readonly before: Taint;
  readonly after: Taint;
  readonly made: readonly Made[];
  readonly results: readonly (PastCall | PastStep)[];
  readonly held: readonly HeldCall[];
  readonly approved: readonly string[];
  readonly taint: Taint;
}

function check({ tools, allowEgress, sequential }: Any, { before, after, made, results, held, approved, taint }: Looked): void {
  const left = [...approved];
  for (const { tool, text, seen } of made) {
    const signature = toolSignature({ name: `tool_${tool}`, args: { text } });
    const index = left.indexOf(signature);
    if (index >= 0) left.splice(index, 1);
    // what an earlier batch has brought must hold it; what comes of calls beside it may
    else expect(mustAsk(tools[tool] as AnyTool, text, sequential ? seen : before, allowEgress), `${signature} was made`).toBe(false);
  }
  for (const { tool, args, signature } of held) {
    expect(mustAsk(tools[indexOf(tool)] as AnyTool, String(args.text), after, allowEgress), `${signature} is held`).toBe(true);
  }
  expect(taint).toEqual(after);
  count.held += held.length;
  count.made += made.length;
  count.approved += approved.length - left.length;
  count.spared += results.filter(({ deduplicated }) => deduplicated).length;
}

describe('the approval rule', () => {
  it('holds exactly the calls of a model that need approval, and an approval releases one call', async () => {
    Object.assign(count, { held: 0, made: 0, spared: 0, approved: 0 });
    await fc.assert(
      fc.asyncProperty(anyThread, async (any) => {
        const { tools, made, seen } = threadOf(any.tools);
        const says = [...any.says];
        let taint: Taint = noTaint;
        for (const batch of any.batches) {
          let asked = batch;
          let approved: readonly string[] = [];
          while (asked.length > 0) {
            const calls = asked.map(({ tool, text }) =>
              parseToolCall({ id: 'c', name: `tool_${tool}`, arguments: JSON.stringify({ text }) }, { tools }),
            );
            const before = seen();
            const from = made.length;
            const end = await executeCalls(calls, {
              tools,
              taint,
              approved,
              allowEgress: any.allowEgress,
              allowTargets,
              concurrency: any.sequential ? 1 : 8,
            });
            check(any, { ...end, before, after: seen(), made: made.slice(from), approved });
            expect([...end.results, ...end.held, ...end.remaining].length).toBe(calls.length);
            expect(end.remaining.length > 0 && end.held.length === 0).toBe(false);
            ({ taint } = end);
            const wanted = end.held.filter(() => says.pop() ?? false);
            approved = wanted.map(({ signature }) => signature);
            asked = wanted.map(({ tool, args }) => ({ tool: indexOf(tool), text: String(args.text), from: false }));
          }
        }
      }),
      { numRuns: share(400) },
    );
    expect([count.held > share(200), count.made > share(200), count.approved > share(50)]).toEqual([true, true, true]);
  });

  it('holds the steps of a plan that depend on a held step, and runs all others', async () => {
    Object.assign(count, { held: 0, made: 0, spared: 0, approved: 0 });
    await fc.assert(
      fc.asyncProperty(anyThread, async (any) => {
        const { tools, made, seen } = threadOf(any.tools);
        const says = [...any.says];
        let taint: Taint = noTaint;
        let history: readonly PastStep[] = [];
        let nextId = 1;
        for (const batch of any.batches) {
          const firstId = nextId;
          nextId += batch.length;
          let steps = batch.map(({ tool, text, from }, index) => ({
            step_id: firstId + index,
            tool: `tool_${tool}`,
            ...(from && index > 0 ? { input_from: `step_${firstId + index - 1}` } : { input: text }),
          }));
          let approved: readonly string[] = [];
          for (let round = 0; steps.length > 0 && (round === 0 || approved.length > 0); round++) {
            const completed = history.map(({ step, status }) => ({ step_id: step.step_id, status }));
            const plan = parsePlan({ steps }, { tools, completed });
            const before = seen();
            const from = made.length;
            const {
              results,
              remaining,
              held,
              taint: after,
            } = await executePlan(plan, {
              tools,
              taint,
              approved,
              history,
              allowEgress: any.allowEgress,
              allowTargets,
              execution: any.sequential ? 'sequential' : 'auto',
            });
            check(any, { before, after: seen(), made: made.slice(from), results, held, approved, taint: after });
            expect(held.filter(({ step }) => !remaining.includes(step))).toEqual([]);
            expect(results.length + remaining.length).toBe(steps.length);
            taint = after;
            history = [...history, ...results];
            approved = held.filter(() => says.pop() ?? false).map(({ signature }) => signature);
            const gone = results.filter(({ status }) => status === 'failure').map(({ step }) => step.step_id);
            // what needs a failed step can never run
            steps = (remaining as typeof steps).filter(({ step_id }) => !gone.some((id) => id < step_id));
          }
        }
      }),
      { numRuns: share(400) },
    );
    expect([count.held > share(200), count.made > share(200), count.approved > share(50), count.spared > share(10)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});
