import type { Tool } from '../ports/tool.ts';

/**
 * The tools that can be used here.
 *
 * @param names Only those with one of these names, for example what `grantTools` has granted. Default: all of them.
 */
export const usableTools = (tools: readonly Tool[], names?: readonly string[]): readonly Tool[] =>
  tools.filter(({ name, unavailable }) => unavailable === undefined && (names === undefined || names.includes(name)));
