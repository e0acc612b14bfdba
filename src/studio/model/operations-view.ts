import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { BulkRuns } from '../../server/api/calls.ts';
import { clockTime, day, daysAgo } from './format.ts';
import type { Language } from './words.ts';

export type OperationAction = Extract<BulkRuns['action'], 'retry' | 'cancel' | 'release'>;

const fromState: Readonly<Partial<Record<FleetState, readonly OperationAction[]>>> = {
  queued: ['cancel'],
  running: ['cancel'],
  parked: ['release', 'cancel'],
  waiting: ['cancel'],
  sleeping: ['cancel'],
  paused: ['cancel'],
  failed: ['retry', 'cancel'],
};

/** Actions on all shown runs of a state. A run in doubt has none, because each needs its own decision. */
export const actionsOf = (state: FleetState): readonly OperationAction[] => fromState[state] ?? [];

const series = /^agent_machines_runs\{(?:.*,)?status="([a-z_]+)"\} (\d+)$/gm;

/** Reads the number of runs by state from the server's metrics. Returns an empty map if the server has not counted them. */
export function countsOf(metrics: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, state = '', count] of metrics.matchAll(series)) counts.set(state, (counts.get(state) ?? 0) + Number(count));
  return counts;
}

/** True when both lists have the same runs in the same order. */
export const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index]);

const minuteMs = 60_000;

/** Formats an age in the page's language with its largest unit: `42 sec`, `5 min`, `3 hr`, `12 days`. */
export function age(ms: number, language: Language): string {
  const [unit, size] =
    ms < minuteMs
      ? (['second', 1_000] as const)
      : ms < 60 * minuteMs
        ? (['minute', minuteMs] as const)
        : ms < 24 * 60 * minuteMs
          ? (['hour', 60 * minuteMs] as const)
          : (['day', 24 * 60 * minuteMs] as const);
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(Math.max(0, Math.floor(ms / size)));
}

/** Formats a time: `13:02` for today, else `3 Nov 13:02`. */
export const moment = (at: number, now: number, language: Language): string =>
  daysAgo(at, now) === 0 ? clockTime(at, language) : `${day(at, language)} ${clockTime(at, language)}`;
