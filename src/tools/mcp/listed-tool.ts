import { shorten } from '../../core/errors/shorten.ts';
import type { JsonObject, JsonSchema } from '../../core/ports/json.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { isObject } from '../../core/util/is-object.ts';
import { toJson } from '../../core/util/to-json.ts';
import { nameProblem, toLocalName } from './remote-name.ts';
import type { McpPin } from './tool-pins.ts';
import { hidesText, visibleText } from './visible-text.ts';

/** A tool as its server describes it, with our checks. */
export interface ListedTool {
  /** Name on the server. */
  readonly remote: string;
  /** Description and schema that a model uses; absent when the tool is unavailable. */
  readonly pin?: McpPin;
  /** Reason why the tool is unavailable. */
  readonly refusal?: string;
  /** The server's claims about the effect of a call. They are untrusted: shown, but never used. */
  readonly hints: { readonly readOnly?: boolean; readonly idempotent?: boolean; readonly destructive?: boolean };
}

/** A tool whose name is rejected, so it cannot become a tool here. */
export interface RefusedName {
  /** Printable form of the name: everything but letters is escaped. */
  readonly name: string;
  readonly reason: string;
}

const maxDescriptionLength = 20_000;

/** Checks each tool of a list on its own: an invalid tool does not affect the others. */
export function readListedTools(
  server: string,
  items: readonly unknown[],
): { readonly tools: readonly ListedTool[]; readonly refused: readonly RefusedName[] } {
  const tools = new Map<string, ListedTool>();
  const refused: RefusedName[] = [];
  for (const item of items) {
    const fields = isObject(item) ? item : {};
    const { name } = fields;
    const reason = typeof name === 'string' ? nameProblem(server, name) : 'it is not a string';
    if (typeof name !== 'string' || reason !== undefined) refused.push({ name: shownName(name), reason: reason ?? '' });
    else if (tools.has(name)) tools.set(name, { remote: name, refusal: 'the server has several tools with this name', hints: {} });
    else tools.set(name, readTool(name, fields));
  }
  return { tools: [...tools.values()], refused };
}

function readTool(
  remote: string,
  { description = '', inputSchema, annotations, execution }: Readonly<Record<string, unknown>>,
): ListedTool {
  // Decision 264: hints are only shown; a server must not declare its own tool harmless.
  const { readOnlyHint, idempotentHint, destructiveHint } = isObject(annotations) ? annotations : {};
  const hints = {
    ...(typeof readOnlyHint === 'boolean' ? { readOnly: readOnlyHint } : {}),
    ...(typeof idempotentHint === 'boolean' ? { idempotent: idempotentHint } : {}),
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint } : {}),
  };
  const refuse = (refusal: string): ListedTool => ({ remote, refusal, hints });
  if (typeof description !== 'string') return refuse('its description is not a string');
  if (description.length > maxDescriptionLength) return refuse(`its description has more than ${maxDescriptionLength} characters`);
  if (isObject(execution) && execution.taskSupport === 'required') return refuse('it runs only as a task');
  if (!isObject(inputSchema)) return refuse('it has no schema for its arguments');
  const compiled = jsonSchemaValidator.compile(inputSchema as JsonSchema);
  if (!compiled.ok) return refuse(`the schema of its arguments cannot be used: ${compiled.reason}`);
  if (hidesText(inputSchema)) return refuse('the schema of its arguments has invisible characters');
  try {
    return { remote, pin: { description: visibleText(description), inputSchema: toJson(inputSchema, 'schema') as JsonObject }, hints };
  } catch {
    return refuse('the schema of its arguments is not JSON');
  }
}

/** Escapes everything in the name except plain ASCII. */
const shownName = (name: unknown): string =>
  typeof name === 'string'
    ? shorten(
        name.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`),
        128,
      )
    : `(${typeof name})`;

/** Schema of an unavailable tool: it accepts no arguments. */
export const noArguments: JsonSchema = Object.freeze({ type: 'object', additionalProperties: false });

export const localNameOf = (server: string, { remote }: ListedTool): string => toLocalName(server, remote);
