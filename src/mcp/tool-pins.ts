import type { JsonObject, JsonSchema } from '../ports/json.ts';
import type { Awaitable } from '../ports/run-store.ts';
import { canonicalJson } from '../util/canonical-json.ts';

/** What was accepted of a tool, by its server's name for it: whatever of it a model, or the plan gate, goes by. */
export interface McpPin {
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Where it is kept which tools of which server were accepted, in which words. */
export interface McpPins {
  /** `undefined` for a server that was never seen: what it offers first is accepted. */
  load(server: string): Awaitable<Readonly<Record<string, McpPin>> | undefined>;
  save(server: string, pins: Readonly<Record<string, McpPin>>): Awaitable<void>;
}

/** Pins that are gone with the process: a server may not change its tools while it is connected, and nothing is known of it the next time. */
export function memoryPins(): McpPins {
  const servers = new Map<string, Readonly<Record<string, McpPin>>>();
  return { load: (server) => servers.get(server), save: (server, pins) => void servers.set(server, pins) };
}

/** A tool that is not what was accepted. */
export interface McpToolChange {
  /** As it is known here. */
  readonly tool: string;
  /** `undefined`: the server did not have it when its tools were accepted. */
  readonly before: McpPin | undefined;
  readonly after: McpPin;
}

export const samePin = (a: McpPin, b: McpPin): boolean =>
  a.description === b.description && canonicalJson(a.inputSchema as JsonObject) === canonicalJson(b.inputSchema as JsonObject);

/** What differs, as lines: `-` what was accepted, `+` what is offered instead. */
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
