import { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { CompiledSchema, SchemaValidator } from '../../core/ports/schema-validator.ts';
import type { ToolSpec } from '../../core/ports/tool.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { parseModelJson } from '../../core/schema/parse-model-json.ts';
import { isHighRisk } from '../../core/tool-facts/is-high-risk.ts';
import { primaryInputOf } from '../../core/tool-facts/primary-input.ts';
import { isToolName, toolNameGrammar } from '../../core/tool-facts/tool-name.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { escapePointer } from '../../core/util/json-pointer.ts';
import { toJson } from '../../core/util/to-json.ts';
import { markValidated } from '../../core/util/validated.ts';
import { type PlanIssue, type PlanStep, planSchema, type ValidatedPlan } from './plan.ts';
import { PlanRejectedError } from './plan-rejected-error.ts';
import { type CompletedStep, ReferenceCheck, type Report } from './reference-check.ts';

export interface ParsePlanOptions {
  /** The tools that the plan may use. */
  readonly tools: readonly ToolSpec[];
  /** @default 20 */
  readonly maxSteps?: number;
  /** Finished steps; the plan may refer to the successful ones. @default [] */
  readonly completed?: readonly CompletedStep[];
  /** Author of the plan. A `replanner` may add neither a high-risk tool nor a step id of an accepted plan. @default 'planner' */
  readonly origin?: 'planner' | 'replanner';
  /** Every step of every plan accepted in this run. @default [] */
  readonly accepted?: readonly Pick<PlanStep, 'step_id' | 'tool'>[];
  /** @default jsonSchemaValidator */
  readonly validator?: SchemaValidator;
}

/**
 * The gate: turns a planner's reply into an executable plan. Fails closed: one doubt rejects the whole plan.
 *
 * @param source the planner's text, or an accepted plan from the journal.
 * @throws {PlanRejectedError} `PLAN_REJECTED` with every issue, in document order. `OPTION_INVALID` for a `maxSteps` that is not a whole
 * number.
 * @example const plan = parsePlan(reply.text, { tools });
 */
export function parsePlan(source: string | JsonObject, options: ParsePlanOptions): ValidatedPlan {
  if (options.maxSteps !== undefined) checkInteger('maxSteps', options.maxSteps, { min: 0 });
  const plan = toPlan(source, options.validator ?? jsonSchemaValidator);
  const issues = checkSteps(plan.steps, options);
  if (issues.length > 0) throw new PlanRejectedError(issues);
  return markValidated(plan) as ValidatedPlan;
}

interface Plan {
  readonly steps: readonly PlanStep[];
}

/** Checks the form: JSON that conforms to `planSchema`. */
function toPlan(source: string | JsonObject, validator: SchemaValidator): Plan {
  let value: Json;
  try {
    value = typeof source === 'string' ? parseModelJson(source) : toJson(source, 'plan');
  } catch (error) {
    if (!WorkflowError.isInstance(error)) throw error;
    throw new PlanRejectedError([{ code: 'NOT_JSON', path: '', message: error.message.replace(/\.$/, '') }]);
  }
  const schema = validator.compile(planSchema);
  if (!schema.ok) throw new PlanRejectedError([{ code: 'SCHEMA', path: '', message: `cannot be checked: ${schema.reason}` }]);
  const issues = schema.check(value);
  if (issues.length > 0) throw new PlanRejectedError(issues.map(({ path, message }) => ({ code: 'SCHEMA', path, message })));
  return value as unknown as Plan; // checked against `planSchema` above
}

/** Limit of the search; 20 issues are shown. */
const maxIssues = 1_000;

/** Checks the rules that depend on the tools and on the run. */
function checkSteps(steps: readonly PlanStep[], options: ParsePlanOptions): readonly PlanIssue[] {
  const { tools, maxSteps = 20, completed = [], accepted = [], origin = 'planner', validator = jsonSchemaValidator } = options;
  const issues: PlanIssue[] = [];
  const report: Report = (code, path, message) => {
    if (issues.length < maxIssues) issues.push({ code, path: shorten(path, 300), message: shorten(message, 300) });
  };
  if (steps.length > maxSteps) {
    report('TOO_MANY_STEPS', '/steps', `has ${steps.length} steps, more than the limit of ${maxSteps}`);
    return issues;
  }
  const offered = groupByName(tools);
  const references = new ReferenceCheck(steps, completed);
  const highestId = accepted.reduce((highest, { step_id }) => Math.max(highest, step_id), 0);
  const used = new Set(completed.map(({ step_id }) => step_id));
  steps.forEach((step, index) => {
    if (issues.length >= maxIssues) return;
    const path = `/steps/${index}`;
    if (steps.findIndex(({ step_id }) => step_id === step.step_id) !== index) {
      report('STEP_ID_DUPLICATE', `${path}/step_id`, `is ${step.step_id}, the id of an earlier step`);
    }
    if (used.has(step.step_id)) report('STEP_ID_USED', `${path}/step_id`, `is ${step.step_id}, the id of a step that has run`);
    else if (origin === 'replanner' && step.step_id <= highestId) {
      report('STEP_ID_USED', `${path}/step_id`, `is ${step.step_id}, but a replanned step needs an id above ${highestId}`);
    }
    const tool = checkTool(step, path, offered, report);
    if (tool && origin === 'replanner' && isHighRisk(tool) && !accepted.some((other) => other.tool === tool.name)) {
      report('TOOL_RISK', `${path}/tool`, `is the high-risk tool "${tool.name}", which a replan cannot add`);
    }
    if (tool) checkArguments(step, path, tool, validator.compile(tool.inputSchema), report);
    references.check(step, index, path, report);
  });
  return issues;
}

function groupByName(tools: readonly ToolSpec[]): ReadonlyMap<string, readonly ToolSpec[]> {
  const byName = new Map<string, ToolSpec[]>();
  for (const tool of tools) {
    const same = byName.get(tool.name);
    if (same) same.push(tool);
    else byName.set(tool.name, [tool]);
  }
  return byName;
}

function checkTool(
  { tool }: PlanStep,
  path: string,
  offered: ReadonlyMap<string, readonly ToolSpec[]>,
  report: Report,
): ToolSpec | undefined {
  const [found, twin] = offered.get(tool) ?? [];
  if (found && !isToolName(tool)) {
    report('TOOL_REFUSED', `${path}/tool`, `is ${quoted(tool)}, which is not ${toolNameGrammar}`);
    return undefined;
  }
  if (found && !twin) return found;
  if (found) report('TOOL_AMBIGUOUS', `${path}/tool`, `is ${quoted(tool)}, the name of several tools`);
  else {
    const folded = fold(tool);
    const near = [...offered.keys()].find((name) => fold(name) === folded);
    report('TOOL_UNKNOWN', `${path}/tool`, `is ${quoted(tool)}, which is not offered${near === undefined ? '' : ` (but "${near}" is)`}`);
  }
  return undefined;
}

const quoted = (name: string): string => JSON.stringify(shorten(name, 128));

const fold = (name: string): string => name.normalize('NFKC').toLowerCase().replaceAll('-', '_');

/** Checks the known arguments. Those of other steps count as present and are checked just before the call. */
function checkArguments({ input, input_from: from }: PlanStep, path: string, tool: ToolSpec, schema: CompiledSchema, report: Report): void {
  if (!schema.ok) {
    report('TOOL_REFUSED', `${path}/tool`, `is "${tool.name}", whose schema cannot be used: ${schema.reason}`);
    return;
  }
  const primary = primaryInputOf(tool);
  if (primary === undefined && (typeof input === 'string' || typeof from === 'string')) {
    const field = typeof input === 'string' ? 'input' : 'input_from';
    report('NO_PRIMARY_INPUT', `${path}/${field}`, `is a string, but "${tool.name}" needs an object of named arguments`);
    return;
  }
  const known: JsonObject = typeof input === 'string' ? { [primary ?? '']: input } : (input ?? {});
  const awaited = typeof from === 'string' ? [primary ?? ''] : Object.keys(from ?? {});
  const awaitedPaths = new Set(awaited.map((name) => `/${escapePointer(name)}`));
  for (const name of awaited) {
    if (Object.hasOwn(known, name)) report('ARGUMENT_TWICE', `${path}/input_from`, `sets "${name}", which input also sets`);
  }
  for (const issue of schema.check(known, awaited)) {
    const field = awaitedPaths.has(issue.path) ? 'input_from' : 'input';
    const inner = (field === 'input' ? typeof input : typeof from) === 'string' ? '' : issue.path;
    report('ARGUMENT_INVALID', `${path}/${field}${inner}`, `${issue.message} (arguments of "${tool.name}")`);
  }
}
