import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { RunEvent, TokenUsage } from '../../core/ports/run-event.ts';
import type { RunStatus } from '../../core/ports/run-store.ts';
import { sumUsage } from '../../core/util/add-usage.ts';
import { modelCost, type PriceTable } from '../../core/util/model-cost.ts';
import type { RunResult } from '../../engine/drive/run.ts';

/** A tool call of a run. */
export interface ObservedCall {
  readonly tool: string;
  readonly args: Json;
  /** Code of the error of a failed call. */
  readonly error?: string;
}

/** An edge that a run has taken. */
export interface EvalMove {
  /** Path of the state that the run left. */
  readonly from: string;
  /** Paths of the states that are active afterwards, joined with `|`. */
  readonly to: string;
  /** `done` or `error` of the node, a timer, or an event's type. */
  readonly on: string;
  /** Name of the guard. Absent: none. */
  readonly guard?: string;
}

/** A run as graders see it, read from its result and its event log. */
export interface Observed<TOutput = unknown> {
  readonly status: RunStatus;
  /** Absent unless the run has ended in a final state. */
  readonly finalState?: string;
  /** Absent unless the run has ended in a final state. */
  readonly output?: TOutput;
  /** Edges taken, each `from -> to`. Those inside workflows that are called as tools are left out. */
  readonly path: readonly string[];
  /** Tool calls in order of their start, including those of workflows that are called as tools. */
  readonly calls: readonly ObservedCall[];
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Sum over all model calls. */
  readonly usage: TokenUsage;
  /** Cost by `prices` of the eval. Absent if a model that answered has no price. */
  readonly costUsd?: number;
  /** Wall-clock time of the run, in milliseconds. */
  readonly durationMs: number;
  /** Error of a run that did not succeed. */
  readonly error?: Pick<ErrorInfo, 'code' | 'message' | 'hint'>;
  /** Stored events of the run. Reports leave them out. */
  readonly events: readonly RunEvent[];
}

/** Reads a run that rests. */
export function observe<TOutput>(
  result: RunResult<TOutput>,
  events: readonly RunEvent[],
  { prices, durationMs }: { readonly prices: PriceTable | undefined; readonly durationMs: number },
): Observed<TOutput> {
  const ends = events.flatMap((event) => (event.type === 'model-end' ? [event] : []));
  const costUsd = costOf(ends, prices);
  const calls = toolCallsOf(events);
  return {
    status: result.status,
    ...('finalState' in result ? { finalState: result.finalState, output: result.output } : {}),
    path: movesOf(events).map(({ from, to }) => `${from} -> ${to}`),
    calls,
    modelCalls: ends.length,
    toolCalls: calls.length,
    usage: sumUsage(events),
    ...(costUsd === undefined ? {} : { costUsd }),
    durationMs,
    ...errorOf(result),
    events,
  };
}

/** Returns the edges taken, without those inside workflows that are called as tools. */
export function movesOf(events: readonly RunEvent[]): readonly EvalMove[] {
  return events.flatMap((event) => {
    if (event.type !== 'edge' || event.node !== undefined) return [];
    const { from, to, on, guard } = event;
    return [{ from, to, on, ...(guard === undefined ? {} : { guard }) }];
  });
}

function costOf(ends: readonly Extract<RunEvent, { type: 'model-end' }>[], prices: PriceTable | undefined): number | undefined {
  if (!prices) return undefined;
  const costs = ends.map(({ usage, model }) => modelCost(usage, [model], prices));
  return costs.reduce<number | undefined>((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost), 0);
}

function toolCallsOf(events: readonly RunEvent[]): readonly ObservedCall[] {
  const calls: ObservedCall[] = [];
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'tool-start') {
      open.set(`${event.node} ${event.callId}`, calls.length);
      calls.push({ tool: event.tool, args: event.args });
    } else if (event.type === 'tool-end' && event.error) {
      const at = open.get(`${event.node} ${event.callId}`);
      const call = at === undefined ? undefined : calls[at];
      if (at !== undefined && call) calls[at] = { ...call, error: event.error.code };
    }
  }
  return calls;
}

function errorOf(result: RunResult<unknown>): Pick<Observed, 'error'> {
  if (result.status === 'done') return {};
  if (result.status === 'failed') {
    const { code, message, hint } = result.error;
    return { error: { code, message, ...(hint === undefined ? {} : { hint }) } };
  }
  if (result.status === 'waiting' && result.interrupt) {
    const types = [...new Set(result.interrupts.flatMap(({ accepts }) => accepts))].join(', ');
    return {
      error: {
        code: 'RUN_UNFINISHED',
        message: `The run asks a question without an answer. It accepts ${types}.`,
        hint: 'Add the answer to `answers` of the case.',
      },
    };
  }
  if (result.status === 'in_doubt') {
    const tools = result.calls.map(({ callId }) => callId).join(', ');
    return {
      error: { code: 'CALL_IN_DOUBT', message: `The outcome of ${tools} is unknown.`, hint: 'Give the workflow a tool that returns.' },
    };
  }
  return { error: { code: 'RUN_UNFINISHED', message: `The run is ${result.status}.` } };
}
