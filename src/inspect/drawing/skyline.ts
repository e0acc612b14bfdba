import type { Side } from './rails.ts';
import type { Rows } from './rows.ts';

/** How far what has been drawn reaches to each side of the column, at every height. */
export interface Skyline {
  /** Nothing later comes nearer than `reach`, between these rows. */
  add(side: Side, rows: Rows, reach: number): void;
  /** The farthest that something reaches between two rows; 0: nothing stands there. */
  reach(side: Side, rows: Rows): number;
}

const margin = 4;

export function createSkyline(): Skyline {
  const taken: Readonly<Record<Side, (Rows & { readonly reach: number })[]>> = { left: [], right: [] };
  return {
    add: (side, rows, reach) => taken[side].push({ ...rows, reach }),
    reach: (side, { top, bottom }) =>
      taken[side].reduce((far, one) => (one.top < bottom + margin && one.bottom > top - margin ? Math.max(far, one.reach) : far), 0),
  };
}
