// Checked by `tsc --noEmit`: what a tool takes and returns is what its results have.
import {
  asJson,
  createRuntime,
  defineState,
  defineWorkflow,
  type Json,
  type JsonObject,
  type NodeIo,
  type Tool,
  type ToolOutput,
  type ValidatedCall,
} from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import {
  type CallRecord,
  type CallsResult,
  callTool,
  defineTool,
  executeCalls,
  executePlan,
  type PlanResult,
  tryTool,
  type ValidatedPlan,
} from 'agent-machines/tools';
import { setup } from 'xstate';
import { z } from 'zod';

declare const calls: readonly ValidatedCall[];
declare const plan: ValidatedPlan;
declare const foreign: Tool;
declare const io: NodeIo;

interface Forecast {
  readonly days: readonly { readonly celsius: number; readonly note?: string }[];
}
declare function ask(city: string): Promise<Forecast>;

const forecast = defineTool({
  name: 'forecast',
  description: 'The weather of a city.',
  access: 'write',
  input: z.strictObject({ city: z.string(), days: z.int().default(3) }),
  execute: ({ city, days }) => (days > 0 ? ask(city) : ask('')),
});
const count = defineTool({
  name: 'count',
  description: 'Counts letters.',
  access: 'write',
  input: z.strictObject({ text: z.string() }),
  output: z.int(),
  execute: async ({ text }) => text.length,
});

// one tool: its output; several: that of one of them; none that says it: JSON
const alone = await executeCalls(calls, { tools: [forecast] });
export const celsius: readonly (number | undefined)[] = alone.results.map((one) =>
  one.status === 'success' ? one.output.days[0]?.celsius : undefined,
);
export const city: string | undefined = alone.results[0]?.call.args.city;
export const asked: number | undefined = alone.results[0]?.call.args.days;
const both = await executePlan(plan, { tools: [forecast, count] });
for (const past of both.results) {
  const name: 'forecast' | 'count' = past.step.tool;
  if (past.status === 'failure') continue;
  if (typeof past.output === 'number') past.output.toFixed();
  else past.output.days.map(({ note }) => note ?? name);
}
const { results } = await executeCalls(calls, { tools: [foreign] });
export const any: readonly Json[] = results.flatMap((one) => (one.status === 'success' ? [one.output] : []));
export const args: JsonObject | undefined = results[0]?.call.args;
export const output: ToolOutput<typeof count> = 3;

// a success has an output, a failure an error, and only a check says which of them it is
for (const one of alone.results) {
  // @ts-expect-error nobody has looked whether the call succeeded
  one.output;
  // @ts-expect-error nor whether it failed
  one.error;
  // @ts-expect-error a failed call has no output
  if (one.status === 'failure') one.output;
  // @ts-expect-error a successful one has no error
  if (one.status === 'success') one.error;
  // @ts-expect-error a member that the output does not have
  if (one.status === 'success') one.output.hours;
  // @ts-expect-error a failed call is never reused, so it is never stale
  if (one.status === 'failure') one.stale;
  if (one.status === 'failure') one.error.message.trim();
}
for (const past of both.results) {
  // @ts-expect-error nobody has looked whether the step succeeded
  past.output;
}
// @ts-expect-error a record has one of the two
export const neither: CallRecord = { status: 'success', startedAt: 0, durationMs: 0, attempts: 1, signature: '', deduplicated: false };
// @ts-expect-error an argument that the tool does not take
alone.results[0]?.call.args.town;
// @ts-expect-error a tool that is not there
export const wrong: 'search' | undefined = both.results[0]?.step.tool;

// tools and results with types are tools and results
export const tools: readonly Tool[] = [forecast, count, foreign];
export const calm: CallsResult = await executeCalls(calls, { tools });
export const whole: PlanResult = await executePlan(plan, { tools });

const base = { name: 'x', description: 'x', input: z.strictObject({}) } as const;
// @ts-expect-error without an access
defineTool({ ...base, execute: async () => 'three' });
// @ts-expect-error an output that is not the declared one
defineTool({ ...base, access: 'write', output: z.int(), execute: async () => 'three' });
// @ts-expect-error JSON has no dates
defineTool({ ...base, access: 'write', execute: async () => ({ when: new Date() }) });
// @ts-expect-error nor maps
defineTool({ ...base, access: 'write', execute: async () => new Map([['a', 1]]) });
// @ts-expect-error a tool returns something
defineTool({ ...base, access: 'write', execute: async () => {} });

// steps take what types are made of
export const week: Forecast = await io.step('week', () => ask('Seoul'));
export const list: readonly Forecast[] = await io.step('list', async () => [await ask('Seoul')]);
export const short: 'a' | null = await io.step('short', async (): Promise<'a' | null> => null);
// @ts-expect-error a step returns something
void io.step('none', async () => {});
// @ts-expect-error JSON has no dates
void io.step('date', async () => ({ when: new Date() }));
// @ts-expect-error nor functions
void io.step('function', async () => ({ late: () => 1 }));
// @ts-expect-error and nobody knows what this is
void io.step('unknown', async (): Promise<{ readonly value: unknown }> => ({ value: 1 }));
io.emit({ type: 'custom', name: 'week', data: asJson(week) });
// @ts-expect-error a big number is lost
asJson({ n: 1n });

// a thread keeps what types are made of
interface Thread {
  readonly forecasts: readonly Forecast[];
}
const kit = defineState<{ readonly forecasts: readonly Forecast[] }, { readonly forecasts: readonly Forecast[] }, null>();
const machine = setup({ types: kit.types, actors: { look: kit.slot('look') }, actions: { merge: kit.merge } }).createMachine({
  context: ({ input }) => input,
  initial: 'look',
  states: {
    look: { invoke: { src: 'look', input: ({ context }) => context, onDone: { target: 'end', actions: 'merge' } } },
    end: { type: 'final' },
  },
});
const initial: Thread = { forecasts: [] };
export const workflow = defineWorkflow({
  machine,
  nodes: { look: async () => ({ forecasts: [await ask('Seoul')] }) },
  toMachineInput: (_: null, { thread }) => ({ forecasts: thread.forecasts }),
  thread: { initial, next: (thread, { state }) => ({ forecasts: [...thread.forecasts, ...state.forecasts] }) },
});

// a node's own call: arguments and output of its tool
export const days: number = (await callTool(forecast, io, { city: 'Oslo' })).output.days.length;
const end = await tryTool(count, io, { text: 'five' }, { key: 'second' });
if (end.status === 'success') end.output.toFixed();
else if (end.status === 'failure') end.error.code.trim();
else end.reasons.map((reason) => reason.trim());
export const foreignOutput: Json = (await callTool(foreign, io, { anything: [1] })).output;

// @ts-expect-error an argument of another type
await callTool(forecast, io, { city: 5 });
// @ts-expect-error an argument that the tool does not take
await callTool(forecast, io, { city: 'Oslo', town: 'Oslo' });
// @ts-expect-error a missing argument
await tryTool(count, io, {});
// @ts-expect-error an output before its status is known
end.output;

// the context of a run: what its tools need together
const whose = defineTool({
  ...base,
  name: 'whose',
  access: 'write',
  context: z.object({ userId: z.string() }),
  execute: async (_args, { context }) => context.userId.length,
});
const where = defineTool({
  ...base,
  name: 'where',
  access: 'write',
  context: z.object({ locale: z.enum(['ko', 'en']) }),
  execute: async (_args, { context, signal }) => context.locale.length + Number(signal.aborted),
});
const runtime = createRuntime();
runtime.start(toolAgent({ tools: [whose, where, count] }), { input: 'x', context: { userId: 'u', locale: 'ko' } });
runtime.start(toolAgent({ tools: [count] }), { input: 'x' });
runtime.start(toolAgent(), { input: 'x' });
toolAgent({ tools: [], context: z.object({ name: z.string() }), instructions: ({ name }) => name.trim() });
// @ts-expect-error locale is missing
runtime.start(toolAgent({ tools: [whose, where] }), { input: 'x', context: { userId: 'u' } });
// @ts-expect-error the context is missing
runtime.start(toolAgent({ tools: [whose] }), { input: 'x' });
// @ts-expect-error the instructions need a context, too
runtime.start(toolAgent({ tools: [], context: z.object({ name: z.string() }), instructions: ({ name }) => name }), { input: 'x' });
