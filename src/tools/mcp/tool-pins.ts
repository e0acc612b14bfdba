import type { JsonObject, JsonSchema } from '../../core/ports/json.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';

/** Accepted version of a tool: everything that a model or the plan gate uses. */
export interface McpPin {
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Store of the accepted tools, by server. */
export interface McpPins {
  /** `undefined` for a new server, whose first offer is accepted. */
  load(server: string): Awaitable<Readonly<Record<string, McpPin>> | undefined>;
  save(server: string, pins: Readonly<Record<string, McpPin>>): Awaitable<void>;
}

/** Keeps pins in memory. A server cannot change its tools while the process runs, but after a restart its first offer is accepted again. */
export function memoryPins(): McpPins {
  const servers = new Map<string, Readonly<Record<string, McpPin>>>();
  return { load: (server) => servers.get(server), save: (server, pins) => void servers.set(server, pins) };
}

/** A tool that differs from the accepted version. */
export interface McpToolChange {
  /** Local name. */
  readonly tool: string;
  /** `undefined`: the server did not have the tool when its tools were accepted. */
  readonly before: McpPin | undefined;
  readonly after: McpPin;
}

// Decision 263: compared as text, so that a change can be shown line by line.
export const samePin = (a: McpPin, b: McpPin): boolean =>
  a.description === b.description && canonicalJson(a.inputSchema as JsonObject) === canonicalJson(b.inputSchema as JsonObject);

/** Differences as lines: `-` for the accepted version, `+` for the offered one. */
export function describeChange({ before, after }: McpToolChange): readonly string[] {
  const [was, is] = [before ? linesOf(before) : [], linesOf(after)];
  let start = 0;
  while (start < Math.min(was.length, is.length) && was[start] === is[start]) start++;
  let end = 0;
  while (end < Math.min(was.length, is.length) - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const marked = (lines: readonly string[], mark: string): string[] =>
    lines.slice(start, lines.length - end).map((line) => `${mark} ${line}`);
  return [...marked(was, '-'), ...marked(is, '+')];
}

const linesOf = ({ description, inputSchema }: McpPin): string[] => [
  ...description.split('\n'),
  ...JSON.stringify(inputSchema, null, 2).split('\n'),
];
