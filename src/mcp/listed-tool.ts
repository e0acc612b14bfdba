import type { JsonObject, JsonSchema } from '../ports/json.ts';
import { jsonSchemaValidator } from '../schema/json-schema-validator.ts';
import { isObject } from '../util/is-object.ts';
import { shorten } from '../util/shorten.ts';
import { toJson } from '../util/to-json.ts';
import { toLocalName, whyRefusedName } from './remote-name.ts';
import type { McpPin } from './tool-pins.ts';
import { hidesText, visibleText } from './visible-text.ts';

/** A tool as its server has described it, and as it was judged. */
export interface ListedTool {
  /** The server's name for it. */
  readonly remote: string;
  /** What a model would go by; absent when it cannot be used. */
  readonly pin?: McpPin;
  /** Why it cannot be used. */
  readonly refusal?: string;
  /** What its server says that calling it does. A stranger's word: shown, and never gone by. */
  readonly hints: { readonly readOnly?: boolean; readonly idempotent?: boolean; readonly destructive?: boolean };
}

/** A tool that has no name here, so it can be no tool. */
export interface RefusedName {
  /** As it can be shown: what is no letter is escaped. */
  readonly name: string;
  readonly reason: string;
}

const maxDescriptionLength = 20_000;

/** Judges each tool of a list by itself: what is wrong with one changes nothing for the others. */
export function readListedTools(
  server: string,
  items: readonly unknown[],
): { readonly tools: readonly ListedTool[]; readonly refused: readonly RefusedName[] } {
  const tools = new Map<string, ListedTool>();
  const refused: RefusedName[] = [];
  for (const item of items) {
    const fields = isObject(item) ? item : {};
    const { name } = fields;
    const reason = typeof name === 'string' ? whyRefusedName(server, name) : 'it is no text';
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
  const { readOnlyHint, idempotentHint, destructiveHint } = isObject(annotations) ? annotations : {};
  const hints = {
    ...(typeof readOnlyHint === 'boolean' ? { readOnly: readOnlyHint } : {}),
    ...(typeof idempotentHint === 'boolean' ? { idempotent: idempotentHint } : {}),
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint } : {}),
  };
  const refuse = (refusal: string): ListedTool => ({ remote, refusal, hints });
  if (typeof description !== 'string') return refuse('its description is no text');
  if (description.length > maxDescriptionLength) return refuse(`its description has more than ${maxDescriptionLength} characters`);
  if (isObject(execution) && execution.taskSupport === 'required') return refuse('it runs as a task only');
  if (!isObject(inputSchema)) return refuse('it has no schema of its arguments');
  const compiled = jsonSchemaValidator.compile(inputSchema as JsonSchema);
  if (!compiled.ok) return refuse(`the schema of its arguments cannot be used: ${compiled.reason}`);
  if (hidesText(inputSchema)) return refuse('the schema of its arguments has invisible characters');
  try {
    return { remote, pin: { description: visibleText(description), inputSchema: toJson(inputSchema, 'schema') as JsonObject }, hints };
  } catch {
    return refuse('the schema of its arguments is no JSON');
  }
}

/** The name with everything escaped that is not plain ASCII. */
const shownName = (name: unknown): string =>
  typeof name === 'string'
    ? shorten(
        name.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`),
        128,
      )
    : `(${typeof name})`;

/** A tool that cannot be used has no arguments that could be judged. */
export const noArguments: JsonSchema = Object.freeze({ type: 'object', additionalProperties: false });

export const localNameOf = (server: string, { remote }: ListedTool): string => toLocalName(server, remote);
