import { WorkflowError } from '../errors.ts';
import { parseModelJson } from '../models/parse-model-json.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { CompiledSchema, SchemaValidator } from '../ports/schema-validator.ts';
import type { ToolSpec } from '../ports/tool.ts';
import { jsonSchemaValidator } from '../schema/json-schema-validator.ts';
import { isHighRisk } from '../tools/is-high-risk.ts';
import { primaryInputOf } from '../tools/primary-input.ts';
import { isToolName, toolNameGrammar } from '../tools/tool-name.ts';
import { checkInteger } from '../util/check-integer.ts';
import { escapePointer } from '../util/json-pointer.ts';
import { shorten } from '../util/shorten.ts';
import { toJson } from '../util/to-json.ts';
import { markValidated } from '../util/validated.ts';
import { type PlanIssue, type PlanIssueCode, type PlanStep, planSchema, type ValidatedPlan } from './plan.ts';
import { PlanRejectedError } from './plan-rejected-error.ts';
import { parseReference } from './step-reference.ts';

export interface ParsePlanOptions {
  /** The tools that the plan may use. */
  readonly tools: readonly ToolSpec[];
  /** @default 20 */
  readonly maxSteps?: number;
  /** Steps that have run: the plan may refer to those that succeeded. @default [] */
  readonly completed?: readonly CompletedStep[];
  /** Who made the plan. A `replanner` may bring in neither a high-risk tool nor a step id that an accepted plan had. @default 'planner' */
  readonly origin?: 'planner' | 'replanner';
  /** Every step of every plan that was accepted in this run. @default [] */
  readonly accepted?: readonly Pick<PlanStep, 'step_id' | 'tool'>[];
  /** @default jsonSchemaValidator */
  readonly validator?: SchemaValidator;
}

export interface CompletedStep {
  readonly step_id: number;
  readonly status: 'success' | 'failure';
}

/**
 * The gate: turns a planner's reply into a plan that may be executed. Fails closed: one doubt refuses the whole plan.
 *
 * @param source the planner's text, or a plan that was accepted before and comes back from the journal.
 * @throws {PlanRejectedError} `PLAN_REJECTED` with every issue, in document order. `OPTION_INVALID` for a `maxSteps` that is no whole number.
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

/** The plan's form: JSON, and as `planSchema` says. */
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
  return value as unknown as Plan; // `planSchema` says so, and it has just been checked
}

/** More are not looked for: 20 are shown. */
const maxIssues = 1_000;

type Report = (code: PlanIssueCode, path: string, message: string) => void;

/** What only the tools and the run can tell. */
function checkSteps(steps: readonly PlanStep[], options: ParsePlanOptions): readonly PlanIssue[] {
  const { tools, maxSteps = 20, completed = [], accepted = [], origin = 'planner', validator = jsonSchemaValidator } = options;
  const issues: PlanIssue[] = [];
  const report: Report = (code, path, message) => {
    if (issues.length < maxIssues) issues.push({ code, path: shorten(path, 300), message: shorten(message, 300) });
  };
  if (steps.length > maxSteps) {
    report('TOO_MANY_STEPS', '/steps', `has ${steps.length} steps; at most ${maxSteps} are allowed`);
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
      report('STEP_ID_DUPLICATE', `${path}/step_id`, `is ${step.step_id}, which an earlier step has`);
    }
    if (used.has(step.step_id)) report('STEP_ID_USED', `${path}/step_id`, `is ${step.step_id}, which has run already`);
    else if (origin === 'replanner' && step.step_id <= highestId) {
      report('STEP_ID_USED', `${path}/step_id`, `is ${step.step_id}; a replanned step needs an id above ${highestId}`);
    }
    const tool = checkTool(step, path, offered, report);
    if (tool && origin === 'replanner' && isHighRisk(tool) && !accepted.some((other) => other.tool === tool.name)) {
      report('TOOL_RISK', `${path}/tool`, `is the high-risk tool "${tool.name}", which no accepted plan had; a replan may not bring it in`);
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
  if (found) report('TOOL_AMBIGUOUS', `${path}/tool`, `is ${quoted(tool)}, a name that several tools have`);
  else {
    const folded = fold(tool);
    const near = [...offered.keys()].find((name) => fold(name) === folded);
    report('TOOL_UNKNOWN', `${path}/tool`, `is ${quoted(tool)}, which is not offered${near === undefined ? '' : ` (but "${near}" is)`}`);
  }
  return undefined;
}

const quoted = (name: string): string => JSON.stringify(shorten(name, 128));

const fold = (name: string): string => name.normalize('NFKC').toLowerCase().replaceAll('-', '_');

/** The arguments, as far as they are known: those that come from other steps count as present, and are checked just before the call. */
function checkArguments({ input, input_from: from }: PlanStep, path: string, tool: ToolSpec, schema: CompiledSchema, report: Report): void {
  if (!schema.ok) {
    report('TOOL_REFUSED', `${path}/tool`, `is "${tool.name}", whose own schema cannot be used: ${schema.reason}`);
    return;
  }
  const primary = primaryInputOf(tool);
  if (primary === undefined && (typeof input === 'string' || typeof from === 'string')) {
    const field = typeof input === 'string' ? 'input' : 'input_from';
    report('NO_PRIMARY_INPUT', `${path}/${field}`, `is a string, but "${tool.name}" needs its arguments named, in an object`);
    return;
  }
  const known: JsonObject = typeof input === 'string' ? { [primary ?? '']: input } : (input ?? {});
  const awaited = typeof from === 'string' ? [primary ?? ''] : Object.keys(from ?? {});
  for (const name of awaited) {
    if (Object.hasOwn(known, name)) report('ARGUMENT_TWICE', `${path}/input_from`, `fills "${name}", and so does input`);
  }
  for (const issue of schema.check(known, awaited)) {
    const isAwaited = awaited.some((name) => issue.path === `/${escapePointer(name)}`);
    const field = isAwaited ? 'input_from' : 'input';
    const inner = (field === 'input' ? typeof input : typeof from) === 'string' ? '' : issue.path;
    report('ARGUMENT_INVALID', `${path}/${field}${inner}`, `${issue.message} (arguments of "${tool.name}")`);
  }
}

/** Whether the steps that a step refers to have run, or will have run before it. */
class ReferenceCheck {
  readonly #completed: ReadonlyMap<number, CompletedStep['status']>;
  readonly #position: ReadonlyMap<number, number>;
  readonly #steps: readonly PlanStep[];

  constructor(steps: readonly PlanStep[], completed: readonly CompletedStep[]) {
    this.#steps = steps;
    this.#completed = new Map(completed.map(({ step_id, status }) => [step_id, status]));
    this.#position = new Map(steps.map(({ step_id }, index) => [step_id, index]));
  }

  check(step: PlanStep, index: number, path: string, report: Report): void {
    for (const [text, at] of referencesOf(step, path)) {
      const stepId = parseReference(text)?.stepId ?? 0;
      const target = this.#position.get(stepId);
      const status = this.#completed.get(stepId);
      if (stepId === step.step_id) report('REFERENCE_SELF', at, 'is the step itself');
      else if (target !== undefined && target < index) continue;
      else if (target !== undefined) {
        if (this.#reaches(target, index, new Set())) report('CYCLE', at, `is step ${stepId}, which needs this one`);
        else report('REFERENCE_LATER', at, `is step ${stepId}, which comes later`);
      } else if (status === 'failure') report('REFERENCE_FAILED', at, `is step ${stepId}, which has failed`);
      else if (status === undefined) report('REFERENCE_MISSING', at, `is step ${stepId}, which does not exist`);
    }
  }

  #reaches(from: number, to: number, seen: Set<number>): boolean {
    if (from === to) return true;
    const step = this.#steps[from];
    if (!step || seen.has(from)) return false;
    seen.add(from);
    return referencesOf(step, '').some(([text]) => {
      const next = this.#position.get(parseReference(text)?.stepId ?? 0);
      return next !== undefined && this.#reaches(next, to, seen);
    });
  }
}

/** The references of a step, each with its path. */
function referencesOf({ input_from: from }: PlanStep, path: string): readonly (readonly [text: string, path: string])[] {
  if (from === undefined) return [];
  if (typeof from === 'string') return [[from, `${path}/input_from`]];
  return Object.entries(from).map(([name, text]) => [text, `${path}/input_from/${escapePointer(name)}`]);
}
