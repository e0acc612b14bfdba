import type { Tool } from '../../core/ports/tool.ts';

/**
 * Returns the available tools.
 *
 * @param names Names to include, for example the result of `grantTools`. Default: all of them.
 */
export const usableTools = (tools: readonly Tool[], names?: readonly string[]): readonly Tool[] =>
  tools.filter(({ name, unavailable }) => unavailable === undefined && (names === undefined || names.includes(name)));
