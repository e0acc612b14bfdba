import type { Effect } from '../ports/node-io.ts';
import type { Tool } from '../ports/tool.ts';

/** What repeating a call of a tool would do; of one that does not say it, or not in our words, and of one that is not there: harm. */
export const effectOf = (tool: Pick<Tool, 'effect'> | undefined): Effect =>
  tool?.effect === 'pure' || tool?.effect === 'idempotent' ? tool.effect : 'once';
