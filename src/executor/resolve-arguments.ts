import { WorkflowError } from '../errors.ts';
import type { PlanStep } from '../plan/plan.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { SchemaValidator } from '../ports/schema-validator.ts';
import type { Tool } from '../ports/tool.ts';
import { primaryInputOf } from '../util/primary-input.ts';
import { parseReference, readPointer } from '../util/step-reference.ts';

/**
 * Puts a step's arguments together from its input and the outputs of earlier steps, and checks them.
 *
 * @throws {WorkflowError} `TOOL_INPUT_INVALID`: the tool must not be called.
 */
export function resolveArguments(step: PlanStep, tool: Tool, outputs: ReadonlyMap<number, Json>, validator: SchemaValidator): JsonObject {
  const { input, input_from: from } = step;
  const primary = primaryInputOf(tool) ?? '';
  const args: Record<string, Json> = typeof input === 'string' ? { [primary]: input } : { ...input };
  for (const [name, text] of typeof from === 'string' ? [[primary, from] as const] : Object.entries(from ?? {})) {
    args[name] = read(text, outputs, step);
  }
  const schema = validator.compile(tool.inputSchema);
  const issues = schema.ok ? schema.check(args) : [{ path: '', keyword: 'schema', message: schema.reason }];
  if (issues.length === 0) return args;
  throw invalid(
    step,
    `its arguments do not fit "${tool.name}": ${issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}`,
  );
}

function read(text: string, outputs: ReadonlyMap<number, Json>, step: PlanStep): Json {
  const reference = parseReference(text);
  const output = reference && outputs.get(reference.stepId);
  if (!reference || output === undefined) throw invalid(step, `${text} has no output`);
  const value = readPointer(output, reference.pointer);
  if (value === undefined) throw invalid(step, `there is nothing at ${text}`);
  return value;
}

const invalid = (step: PlanStep, what: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_INPUT_INVALID',
    message: `Step ${step.step_id} was not called: ${what}.`,
    hint: 'Plan the step again with arguments that fit.',
    data: { stepId: step.step_id, tool: step.tool },
  });
