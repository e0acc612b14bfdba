import type { JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { type McpSpace, workflowNamed } from './mcp-space.ts';
import { listRuns, runTemplate } from './run-resources.ts';
import { argumentsOf } from './workflow-tools.ts';

/** A client's completion request, while a human types. */
interface Typed {
  readonly ref: unknown;
  readonly argument: unknown;
}

const maxValues = 100;

/** Completions for the human's text: the known values of a prompt's argument, or ids of runs. */
export async function completionsOf(space: McpSpace, { ref, argument }: Typed): Promise<Record<string, unknown>> {
  const { name, value } = isObject(argument) ? argument : {};
  const begun = typeof value === 'string' ? value.toLowerCase() : '';
  const found = (await valuesOf(space, isObject(ref) ? ref : {}, String(name))).filter((one) => one.toLowerCase().startsWith(begun));
  return { completion: { values: found.slice(0, maxValues), total: found.length, hasMore: found.length > maxValues } };
}

async function valuesOf(space: McpSpace, ref: Readonly<Record<string, unknown>>, argument: string): Promise<readonly string[]> {
  if (ref.type === 'ref/resource' && ref.uri === runTemplate.uriTemplate && argument === 'runId')
    return (await listRuns(space)).map((run) => String(run.name));
  const served = ref.type === 'ref/prompt' ? workflowNamed(space, String(ref.name)) : undefined;
  const properties = served && argumentsOf(served).properties;
  const schema = isObject(properties) && Object.hasOwn(properties, argument) ? properties[argument] : undefined;
  if (!isObject(schema)) return [];
  const { type, enum: choices, examples } = schema as JsonObject;
  const said = type === 'boolean' ? [true, false] : (choices ?? examples ?? []);
  return (Array.isArray(said) ? said : []).map(String);
}
