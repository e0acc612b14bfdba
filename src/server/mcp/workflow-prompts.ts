import type { JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { type McpSpace, type McpWorkflow, workflowNamed } from './mcp-space.ts';
import { argumentsOf } from './workflow-tools.ts';

/** A prompt as `prompts/list` shows it. */
interface ShownPrompt extends Record<string, unknown> {
  readonly name: string;
}

/** Types that a human can enter in one line. */
const typed: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** Every workflow as a prompt, for a human who chooses this one. Its arguments are the input fields that fit in one line. */
export const workflowPrompts = ({ workflows }: McpSpace): readonly ShownPrompt[] =>
  workflows.map((served) => {
    const { id, title, description } = served;
    return {
      name: id,
      ...(title === undefined ? {} : { title }),
      description: description ?? `Runs the workflow ${id}.`,
      arguments: textsOf(served),
    };
  });

/**
 * A prompt's text, which tells the model to call the tool of the same name. Returns `undefined` for an unknown prompt or a missing
 * argument.
 */
export function readPrompt(space: McpSpace, name: string, given: JsonObject): Record<string, unknown> | undefined {
  const served = workflowNamed(space, name);
  const texts = served && textsOf(served);
  if (!texts || texts.some((text) => text.required && typeof given[text.name] !== 'string')) return undefined;
  const args = Object.fromEntries(texts.flatMap((text) => (given[text.name] === undefined ? [] : [[text.name, given[text.name]]])));
  const text = `Call the tool "${served.id}" with these arguments, and show me what it answers:\n${JSON.stringify(args, null, 2)}`;
  return {
    description: served.description ?? `Runs the workflow ${served.id}.`,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function textsOf(served: McpWorkflow): readonly { readonly name: string; readonly description?: string; readonly required: boolean }[] {
  const { properties, required } = argumentsOf(served);
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    if (!isObject(schema) || !typed.includes(schema.type)) return [];
    const { description } = schema;
    const isRequired = Array.isArray(required) && required.includes(name);
    return [{ name, ...(typeof description === 'string' ? { description } : {}), required: isRequired }];
  });
}
