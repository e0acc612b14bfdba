import { WorkflowError } from '../../core/errors/errors.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { quotedNames, shownNames } from '../../core/util/shown-list.ts';
import { usableTools } from './usable-tools.ts';

/**
 * Returns the names of the tools that a run may use: the requested ones that are available.
 *
 * @param asked Untrusted list from the caller of a workflow. Default: all of `tools`.
 * @throws {WorkflowError} `INPUT_INVALID` for a value that is not a list of names, `TOOL_UNKNOWN` for a name that is not among `tools`.
 * @example
 * grantTools(input.tools, [calculator, getCurrentDatetime()]);
 */
export function grantTools(asked: unknown, tools: readonly Tool[]): string[] {
  const usable = usableTools(tools).map(({ name }) => name);
  if (asked === undefined) return usable;
  if (!Array.isArray(asked) || !asked.every((name) => typeof name === 'string')) {
    throw new WorkflowError({
      code: 'INPUT_INVALID',
      message: 'The option tools is not a list of names.',
      hint: "Pass a list of names, such as { tools: ['calculator'] }, or leave out `tools` to grant all.",
    });
  }
  const unknown = asked.filter((name) => !tools.some((tool) => tool.name === name));
  if (unknown.length > 0) {
    throw new WorkflowError({
      code: 'TOOL_UNKNOWN',
      message: `The workflow has no tool ${quotedNames(unknown)}.`,
      hint: `It has ${shownNames(tools.map(({ name }) => name))}.`,
    });
  }
  return usable.filter((name) => asked.includes(name));
}
