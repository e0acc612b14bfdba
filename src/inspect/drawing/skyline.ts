import type { Side } from './rails.ts';
import type { Rows } from './rows.ts';

/** Width of what has been placed on each side of the column, by height. */
export interface Skyline {
  /** Reserves the side up to `reach`, between these rows. */
  add(side: Side, rows: Rows, reach: number): void;
  /** Returns the largest reserved reach between two rows; 0 if none. */
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
