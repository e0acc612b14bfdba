import type { RunView, VisitView } from './run-view.ts';

/** One bar of the timeline. Positions are in active time, so a wait for a human takes no space. */
export interface TimelineRow {
  readonly visit: VisitView;
  readonly startMs: number;
  readonly durationMs: number;
  readonly kind: 'model' | 'tool' | 'wait';
  readonly tokens: number;
  readonly tools: readonly TimelineTool[];
}

interface TimelineTool {
  readonly callId: string;
  readonly startMs: number;
  readonly durationMs: number;
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly totalMs: number;
}

/** Maximum displayed length of an idle gap, in milliseconds. */
const longestGapMs = 200;

/** Rows of a run's nodes by their active times. */
export function timelineRows({ visits, startedAt = 0 }: RunView, now?: number): Timeline {
  const squeeze = squeezed(visits, startedAt, now);
  const rows = visits.map((visit): TimelineRow => {
    const startMs = squeeze(visit.startedAt);
    const endMs = visit.waits ? startMs : Math.max(startMs, squeeze(visit.endedAt ?? now ?? visit.startedAt));
    return {
      visit,
      startMs,
      durationMs: visit.waits ? 0 : Math.max(endMs - startMs, 0),
      kind: visit.waits ? 'wait' : visit.models.length > 0 ? 'model' : 'tool',
      tokens: visit.models.reduce((sum, { usage }) => sum + (usage ? usage.inputTokens + usage.outputTokens : 0), 0),
      tools: visit.tools.map(({ callId, startedAt: at, durationMs = 0 }) => ({ callId, startMs: squeeze(at), durationMs })),
    };
  });
  return { rows, totalMs: Math.max(1, ...rows.map(({ startMs, durationMs }) => startMs + durationMs)) };
}

/** Returns a clock that stops while no node is active. */
function squeezed(visits: readonly VisitView[], startedAt: number, now?: number): (at: number) => number {
  const spans = visits
    .filter(({ waits }) => !waits)
    .map((visit) => [visit.startedAt, visit.endedAt ?? now ?? visit.startedAt] as const)
    .sort((a, b) => a[0] - b[0]);
  const gaps: (readonly [from: number, cut: number])[] = [];
  let reached = startedAt;
  for (const [from, to] of spans) {
    if (from - reached > longestGapMs) gaps.push([from, from - reached - longestGapMs]);
    reached = Math.max(reached, to);
  }
  return (at) => at - startedAt - gaps.reduce((sum, [from, cut]) => (at >= from ? sum + cut : sum), 0);
}
