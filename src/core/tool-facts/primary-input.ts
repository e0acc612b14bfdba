import type { ToolSpec } from '../ports/tool.ts';
import { asObject } from '../util/as-object.ts';

/** The argument that a plain string fills: the declared one, else the only required string; `undefined` when there is none. */
export function primaryInputOf(tool: ToolSpec): string | undefined {
  const schema = tool.inputSchema;
  if (typeof schema === 'boolean') return undefined;
  const properties = asObject(schema.properties);
  if (tool.primaryInput !== undefined) return Object.hasOwn(properties, tool.primaryInput) ? tool.primaryInput : undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const strings = required.filter((name) => typeof name === 'string' && asObject(properties[name]).type === 'string');
  return strings.length === 1 ? strings[0] : undefined;
}
