import type { MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import { issuesText } from '../../core/util/issues-text.ts';
import { toJson } from '../../core/util/to-json.ts';
import { argumentInvalid } from './assert-machine.ts';
import type { StateChecks } from './state-checks.ts';

/** Schemas of the patches that nodes return, by node. */
export type ReturnSchemas = Readonly<Record<string, StandardSchema<object> | undefined>>;

/** Repeats the type check for callers without types. */
export function assertReturns(returns: object, nodes: object): void {
  for (const [name, schema] of Object.entries(returns)) {
    const standard = (schema as Partial<StandardSchema<object>> | null | undefined)?.['~standard'];
    if (!Object.hasOwn(nodes, name) || !standard?.validate || !standard.jsonSchema)
      throw argumentInvalid(
        `"returns" of "${name}" is invalid.`,
        "{ node: schema } with names of nodes, and schemas such as zod's or those of objectSchema in agent-machines/tools",
      );
  }
}

/**
 * Makes the reader of a node's patches: first its own schema, then that of the state.
 *
 * @returns `undefined` if neither exists.
 */
export function patchReader(
  node: string,
  schema: StandardSchema<object> | undefined,
  readPatch: StateChecks['readPatch'] | undefined,
): StateChecks['readPatch'] | undefined {
  if (!schema) return readPatch;
  const { validate, jsonSchema } = schema['~standard'];
  const { properties } = jsonSchemaOf(node, jsonSchema.input);
  return (patch: JsonObject, state: MachineContext) => {
    const { taint, ...rest } = patch;
    // a workflow inside the node adds the taint of its own run, which the schema may not declare
    const own = taint === undefined || Object.hasOwn(Object(properties), 'taint') ? patch : rest;
    const result = validate(own);
    if ('then' in result) throw argumentInvalid(`"returns" of "${node}" is asynchronous.`, 'a synchronous schema');
    const other = result.issues ? undefined : Object.keys(own).find((key) => !Object.hasOwn(Object(result.value), key));
    if (result.issues || other !== undefined) {
      throw new WorkflowError({
        code: 'PATCH_INVALID',
        message: `The patch of the node "${node}" does not fit its "returns": ${issuesText(result) ?? `unknown key ${other}`}.`,
        hint: 'Return a patch that fits the schema, or correct the schema.',
      });
    }
    const read = toJson({ ...patch, ...result.value }, 'patch') as JsonObject;
    return readPatch ? readPatch(read, state) : read;
  };
}

type ToJsonSchema = StandardSchema<object>['~standard']['jsonSchema']['input'];

/** @throws {WorkflowError} `WORKFLOW_INVALID` for a type that JSON Schema cannot express, such as a date. */
function jsonSchemaOf(node: string, input: ToJsonSchema): ReturnType<ToJsonSchema> {
  try {
    return input({ target: 'draft-2020-12' });
  } catch (cause) {
    throw argumentInvalid(`"returns" of "${node}" is invalid (${messageOf(cause)}).`, 'types that JSON has');
  }
}
