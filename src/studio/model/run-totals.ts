import type { RunView } from './run-view.ts';

export interface RunTotals {
  readonly modelCalls: number;
  readonly cachedCalls: number;
  readonly toolCalls: number;
  readonly reusedCalls: number;
  readonly tokens: number;
  readonly cachedTokens: number;
  /** Active time in milliseconds, without waits for a human. */
  readonly workMs: number;
}

export function runTotals({ visits }: RunView): RunTotals {
  const models = visits.flatMap((visit) => visit.models);
  const tools = visits.flatMap((visit) => visit.tools);
  const outer = visits.filter(({ waits, inner }) => !waits && !inner);
  return {
    modelCalls: models.length,
    cachedCalls: models.filter(({ cached }) => cached).length,
    toolCalls: tools.length,
    reusedCalls: tools.filter(({ reused }) => reused).length,
    tokens: models.reduce((sum, { usage }) => sum + (usage ? usage.inputTokens + usage.outputTokens : 0), 0),
    cachedTokens: models.reduce((sum, { usage }) => sum + (usage?.cachedInputTokens ?? 0), 0),
    workMs: outer.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0),
  };
}
