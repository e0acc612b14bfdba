import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { primaryInputOf } from '../../core/tool-facts/primary-input.ts';
import { readPointer } from '../../core/util/json-pointer.ts';
import type { PlanStep } from '../gate/plan.ts';
import { parseReference } from '../gate/step-reference.ts';
import { argumentsInvalid, assertArguments, type CallEnvironment } from './journal-call.ts';

/**
 * Resolves a step's arguments from its input and the outputs of earlier steps, and checks them.
 *
 * @throws {WorkflowError} `TOOL_INPUT_INVALID`: do not call the tool.
 */
export function resolveArguments(step: PlanStep, tool: Tool, outputs: ReadonlyMap<number, Json>, environment: CallEnvironment): JsonObject {
  const { input, input_from: from, step_id } = step;
  const what = `Step ${step_id} was not called`;
  const primary = primaryInputOf(tool) ?? '';
  const args: Record<string, Json> = typeof input === 'string' ? { [primary]: input } : { ...input };
  for (const [name, text] of typeof from === 'string' ? [[primary, from] as const] : Object.entries(from ?? {})) {
    const reference = parseReference(text);
    const output = reference && outputs.get(reference.stepId);
    const value = output === undefined ? undefined : readPointer(output, reference?.pointer ?? []);
    if (value === undefined) throw argumentsInvalid(tool.name, `${what}: ${text} has no value`);
    args[name] = value;
  }
  assertArguments(tool, args, what, environment);
  return args;
}
