import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { RunStatus, StoreQuery } from '../../core/ports/run-store.ts';

/** Conditions that differ between databases. */
export interface StateSql {
  /** True for a parked run, among those that are `running`. */
  readonly parked: string;
  /** True for a run that has ended in a final state tagged `failure`. */
  readonly failedEnd: string;
}

/** Runs of one stored status, and the condition that finds them by an index. */
interface Shape {
  readonly status: RunStatus;
  readonly sql: string;
}

const stored = (status: RunStatus, more = ''): Shape => ({ status, sql: `status = '${status}'${more}` });

const shapesOf = ({ parked, failedEnd }: StateSql): Readonly<Record<FleetState, readonly Shape[]>> => ({
  queued: [stored('queued'), stored('paused', ' AND wake_at IS NOT NULL')],
  running: [stored('running', ` AND NOT (${parked})`)],
  parked: [stored('running', ` AND ${parked}`)],
  waiting: [stored('waiting', ' AND sleeps IS NULL')],
  sleeping: [stored('waiting', ' AND sleeps IS NOT NULL')],
  in_doubt: [stored('in_doubt')],
  paused: [stored('paused', ' AND wake_at IS NULL')],
  done: [stored('done', ' AND failure IS NULL')],
  failed: [stored('failed'), { status: 'done', sql: failedEnd }],
  cancelled: [stored('cancelled')],
});

/**
 * Conditions of a query on status, state and code. Each has the rows of one stored status in the order of an index, and no row fits two of
 * them. None: no run matches. `[undefined]`: every run does.
 */
export function stateBranches({ status, resultStatus, state, code }: StoreQuery, sql: StateSql): readonly (string | undefined)[] {
  const shapes = shapesOf(sql);
  const asked = [
    ...(code === undefined ? [] : [shapes.failed]),
    ...(state === undefined ? [] : [shapes[state]]),
    ...(resultStatus === undefined ? [] : [resultShapes(shapes, resultStatus)]),
    ...(status === undefined ? [] : [[stored(status)]]),
  ];
  const [first, ...others] = asked;
  return first ? others.reduce(both, first).map((shape) => shape.sql) : [undefined];
}

/** Shapes of `resultStatus`. */
const resultShapes = (shapes: Readonly<Record<FleetState, readonly Shape[]>>, result: RunStatus): readonly Shape[] =>
  result === 'failed' || result === 'done' ? shapes[result] : [stored(result)];

const both = (ones: readonly Shape[], others: readonly Shape[]): readonly Shape[] =>
  ones.flatMap((one) =>
    others.flatMap((other) =>
      one.status === other.status ? { status: one.status, sql: [...new Set([one.sql, other.sql])].join(' AND ') } : [],
    ),
  );
