import type { Effect } from '../../core/ports/node-io.ts';
import type { Tool } from '../../core/ports/tool.ts';

/** Effect of repeating a call of a tool; `once`, the harmful one, if it is undeclared or invalid or the tool is unknown. */
export const effectOf = (tool: Pick<Tool, 'effect'> | undefined): Effect =>
  tool?.effect === 'pure' || tool?.effect === 'idempotent' ? tool.effect : 'once';
