import fc from 'fast-check';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { ToolSpec } from '../../core/ports/tool.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { isHighRisk } from '../../core/tool-facts/is-high-risk.ts';
import { primaryInputOf } from '../../core/tool-facts/primary-input.ts';
import { isToolName } from '../../core/tool-facts/tool-name.ts';
import type { PlanIssueCode, PlanStep } from '../../plan/gate/plan.ts';
import { parseReference } from '../../plan/gate/step-reference.ts';
import { type ArbitraryPlanOptions, arbitraryPlan, freshIds, toPlan } from './arbitrary-plan.ts';
import { someOf } from './some-of.ts';

/** A plan that the gate must reject, with the reason. */
export interface BrokenPlan {
  /** Output of a model: text, or the plan as JSON. */
  readonly source: string | JsonObject;
  /** Code of an issue that the gate reports, possibly among others. */
  readonly code: PlanIssueCode;
  /** Description of the fault. */
  readonly fault: string;
}

/**
 * Plans that `parsePlan` rejects with the same tools and options: valid plans with one fault each. Only faults that the tools and options
 * allow are made. For example, `TOOL_RISK` needs a replan and a high-risk tool.
 *
 * @param options.only Codes of the faults to make. Default: all.
 * @throws {WorkflowError} `OPTION_INVALID` if no arguments were found for a tool.
 * @example fc.property(arbitraryBrokenPlan(tools), ({ source }) => assert.throws(() => parsePlan(source, { tools })))
 */
export function arbitraryBrokenPlan(
  tools: readonly ToolSpec[],
  options: ArbitraryPlanOptions & { readonly only?: readonly PlanIssueCode[] } = {},
): fc.Arbitrary<BrokenPlan> {
  const { only, ...given } = options;
  const context: PlanContext = { tools, options: given };
  const wanted = faults.filter(({ code }) => !only || only.includes(code));
  const broken = fc.tuple(arbitraryPlan(tools, given), fc.nat({ max: 1_000 }), fc.nat({ max: 1_000 })).map(([{ steps }, which, where]) => {
    for (let offset = 0; offset < wanted.length; offset++) {
      const { code, fault, damage } = wanted[(which + offset) % wanted.length] as Fault;
      const source = damage(steps, where, context);
      if (source !== undefined) return { code, fault, source };
    }
    return undefined;
  });
  return someOf(broken, (made) => made !== undefined, 'no plan with such a fault for these tools and options');
}

interface PlanContext {
  readonly tools: readonly ToolSpec[];
  readonly options: ArbitraryPlanOptions;
}

type Steps = readonly PlanStep[];

interface Fault {
  readonly code: PlanIssueCode;
  readonly fault: string;
  /** Returns the plan with the fault; `undefined` if the fault does not apply. */
  readonly damage: (steps: Steps, where: number, context: PlanContext) => JsonObject | string | undefined;
}

/** Makes a fault in one step; `undefined` moves on to the next step. */
const inStep =
  (change: (step: PlanStep, context: PlanContext, index: number, steps: Steps) => object | undefined): Fault['damage'] =>
  (steps, where, context) => {
    for (let offset = 0; offset < steps.length; offset++) {
      const at = (where + offset) % steps.length;
      const step = steps[at];
      const changed = step && change(step, context, at, steps);
      if (changed) return toPlan(steps.map((each, index) => (index === at ? (changed as PlanStep) : each)));
    }
    return undefined;
  };

/** Gives a step such a tool, and adds the step if the plan has none. */
const withTool =
  (isSuch: (tool: ToolSpec, context: PlanContext) => boolean): Fault['damage'] =>
  (steps, where, context) => {
    const tool = context.tools.find((each) => isSuch(each, context))?.name;
    if (tool === undefined) return undefined;
    const [step_id = 1] = freshIds([0], context.options);
    return inStep((step) => ({ ...step, tool }))(steps.length > 0 ? steps : [{ step_id, tool }], where, context);
  };

const faults: readonly Fault[] = [
  { code: 'NOT_JSON', fault: 'the text is cut off', damage: (steps) => JSON.stringify(toPlan(steps)).slice(0, -1) },
  { code: 'NOT_JSON', fault: 'a sentence precedes the plan', damage: (steps) => `Here is the plan: ${JSON.stringify(toPlan(steps))}` },
  { code: 'SCHEMA', fault: 'a list of steps instead of a plan', damage: (steps) => JSON.stringify(steps) },
  { code: 'SCHEMA', fault: 'the plan has an unknown key', damage: (steps) => Object.assign({ reason: 'because' }, toPlan(steps)) },
  { code: 'SCHEMA', fault: 'a step without a tool', damage: inStep(({ tool: _, ...step }) => step) },
  { code: 'SCHEMA', fault: 'the step id 0', damage: inStep((step) => ({ ...step, step_id: 0 })) },
  { code: 'SCHEMA', fault: 'a step id as text', damage: inStep((step) => ({ ...step, step_id: `${step.step_id}` })) },
  { code: 'SCHEMA', fault: 'a step with an unknown key', damage: inStep((step) => ({ ...step, depends_on: [1] })) },
  { code: 'SCHEMA', fault: 'a reference that names no step', damage: inStep((step) => ({ ...step, input_from: 'step_one' })) },
  { code: 'TOO_MANY_STEPS', fault: 'more steps than the maximum', damage: tooMany },
  { code: 'STEP_ID_DUPLICATE', fault: 'a duplicate step', damage: twice },
  { code: 'STEP_ID_USED', fault: 'a step id that an earlier plan has used', damage: inStep(usedId) },
  {
    code: 'TOOL_UNKNOWN',
    fault: 'an unknown tool',
    damage: inStep((step, { tools }) => renamed(step, tools, `${step.tool}_2`)),
  },
  {
    code: 'TOOL_UNKNOWN',
    fault: 'a tool name in other letter case',
    damage: inStep((step, { tools }) => renamed(step, tools, upperCased(step.tool))),
  },
  {
    code: 'TOOL_UNKNOWN',
    fault: 'a tool name with an invisible character',
    damage: inStep((step, { tools }) => renamed(step, tools, `${step.tool}\u200b`)),
  },
  {
    code: 'TOOL_AMBIGUOUS',
    fault: 'a tool name that two tools share',
    damage: withTool((tool, { tools }) => isToolName(tool.name) && isTwin(tool, tools)),
  },
  { code: 'TOOL_REFUSED', fault: 'an unusable tool', damage: withTool(isUnusable) },
  { code: 'TOOL_RISK', fault: 'a high-risk tool that a replan adds', damage: withTool(isTooRisky) },
  { code: 'ARGUMENT_TWICE', fault: 'an argument with both a value and a reference', damage: inStep(argumentTwice) },
  {
    code: 'ARGUMENT_INVALID',
    fault: 'an undeclared argument',
    damage: inStep((step, { tools }) => ({ ...step, input: { ...knownOf(step, tools), [undeclared]: true } })),
  },
  { code: 'ARGUMENT_INVALID', fault: 'a missing argument', damage: inStep(argumentMissing) },
  { code: 'ARGUMENT_INVALID', fault: 'an argument of another type', damage: inStep(argumentOfOtherType) },
  {
    code: 'NO_PRIMARY_INPUT',
    fault: 'a plain text for a tool without a primary argument',
    damage: inStep((step, { tools }) => (hasPrimary(step, tools) ? undefined : { ...step, input: 'a text' })),
  },
  {
    code: 'REFERENCE_SELF',
    fault: 'a reference to the step itself',
    damage: inStep((step, { tools }) => referring(step, step.step_id, tools)),
  },
  { code: 'REFERENCE_LATER', fault: 'a reference to a later step', damage: inStep(referenceLater) },
  {
    code: 'REFERENCE_MISSING',
    fault: 'a reference to a missing step',
    damage: inStep((step, { tools, options }, _, steps) =>
      referring(step, freshIds([1], { ...options, accepted: [...(options.accepted ?? []), ...steps] })[0] ?? 0, tools),
    ),
  },
  {
    code: 'REFERENCE_FAILED',
    fault: 'a reference to a failed step',
    damage: inStep((step, { tools, options }) =>
      referring(step, options.completed?.find(({ status }) => status === 'failure')?.step_id, tools),
    ),
  },
  { code: 'CYCLE', fault: 'two steps that refer to each other', damage: cycle },
];

const undeclared = 'not_an_argument_of_any_tool';

function tooMany(steps: Steps, _where: number, { options }: PlanContext): JsonObject | undefined {
  const [first] = steps;
  if (!first) return undefined;
  const { maxSteps = 20 } = options;
  const ids = freshIds(
    Array.from({ length: maxSteps + 1 }, () => 0),
    options,
  );
  return toPlan(ids.map((step_id) => ({ step_id, tool: first.tool })));
}

function twice(steps: Steps, _where: number, { options: { maxSteps = 20 } }: PlanContext): JsonObject | undefined {
  const [first, second, ...rest] = steps;
  if (!first || maxSteps < 2) return undefined;
  return toPlan([first, { ...(second ?? first), step_id: first.step_id }, ...rest]);
}

function usedId(step: PlanStep, { options: { completed = [], accepted = [], origin } }: PlanContext): object | undefined {
  const used = completed[0]?.step_id ?? (origin === 'replanner' ? accepted[0]?.step_id : undefined);
  return used === undefined ? undefined : { ...step, step_id: used };
}

const upperCased = (name: string): string => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase());

const renamed = (step: PlanStep, tools: readonly ToolSpec[], tool: string): object | undefined =>
  tools.some(({ name }) => name === tool) ? undefined : { ...step, tool };

const isTwin = ({ name }: ToolSpec, tools: readonly ToolSpec[]): boolean => tools.filter((other) => other.name === name).length > 1;

function isUnusable(tool: ToolSpec, { tools, options: { validator = jsonSchemaValidator } }: PlanContext): boolean {
  return tool.name !== '' && (!isToolName(tool.name) || (!isTwin(tool, tools) && !validator.compile(tool.inputSchema).ok));
}

function isTooRisky(tool: ToolSpec, { tools, options: { origin, accepted = [], validator = jsonSchemaValidator } }: PlanContext): boolean {
  return (
    origin === 'replanner' &&
    isHighRisk(tool) &&
    !accepted.some((other) => other.tool === tool.name) &&
    !isUnusable(tool, { tools, options: { validator } }) &&
    !isTwin(tool, tools)
  );
}

const toolOf = ({ tool }: PlanStep, tools: readonly ToolSpec[]): ToolSpec | undefined => tools.find(({ name }) => name === tool);

function hasPrimary(step: PlanStep, tools: readonly ToolSpec[]): boolean {
  const tool = toolOf(step, tools);
  return tool !== undefined && primaryInputOf(tool) !== undefined;
}

const primaryOf = (step: PlanStep, tools: readonly ToolSpec[]): string => {
  const tool = toolOf(step, tools);
  return (tool && primaryInputOf(tool)) ?? '';
};

/** Returns the literal arguments of a step by name. */
const knownOf = (step: PlanStep, tools: readonly ToolSpec[]): JsonObject =>
  typeof step.input === 'string' ? { [primaryOf(step, tools)]: step.input } : (step.input ?? {});

/** Returns the arguments that other steps fill, by name. */
const awaitedOf = (step: PlanStep, tools: readonly ToolSpec[]): Readonly<Record<string, string>> =>
  typeof step.input_from === 'string' ? { [primaryOf(step, tools)]: step.input_from } : (step.input_from ?? {});

/** Returns the step with one argument taken from another step. */
function referring(step: PlanStep, to: number | undefined, tools: readonly ToolSpec[]): PlanStep | undefined {
  if (to === undefined) return undefined;
  const [known, awaited] = [knownOf(step, tools), awaitedOf(step, tools)];
  const name = Object.keys(awaited)[0] ?? Object.keys(known)[0] ?? 'any';
  const { [name]: _, ...rest } = known;
  return { ...step, input: rest, input_from: { ...awaited, [name]: `step_${to}` } };
}

function argumentTwice(step: PlanStep, { tools }: PlanContext): object | undefined {
  const [known, awaited] = [knownOf(step, tools), awaitedOf(step, tools)];
  const name = Object.keys(known)[0] ?? Object.keys(awaited)[0];
  if (name === undefined) return undefined;
  return { ...step, input: { [name]: 'x', ...known }, input_from: { [name]: `step_${step.step_id}`, ...awaited } };
}

const issuesOf = (step: PlanStep, known: JsonObject, { tools, options: { validator = jsonSchemaValidator } }: PlanContext): number => {
  const schema = validator.compile(toolOf(step, tools)?.inputSchema ?? {});
  return schema.ok ? schema.check(known, Object.keys(awaitedOf(step, tools))).length : 0;
};

function argumentMissing(step: PlanStep, context: PlanContext): object | undefined {
  const known = knownOf(step, context.tools);
  for (const name of Object.keys(known)) {
    const { [name]: _, ...rest } = known;
    if (issuesOf(step, rest, context) > 0) return { ...step, input: rest };
  }
  return undefined;
}

const strangeValues: readonly Json[] = [null, 'a text', -1.5, true, [], {}, ['a text', 1], { more: 1 }];

function argumentOfOtherType(step: PlanStep, context: PlanContext): object | undefined {
  const known = knownOf(step, context.tools);
  for (const name of Object.keys(known)) {
    for (const value of strangeValues) {
      const input = { ...known, [name]: value };
      if (issuesOf(step, input, context) > 0) return { ...step, input };
    }
  }
  return undefined;
}

/** Returns true if a step depends on another one, directly or indirectly. */
function needs(step: PlanStep, wanted: number, steps: Steps, { tools }: PlanContext): boolean {
  const sources = Object.values(awaitedOf(step, tools)).map((text) => parseReference(text)?.stepId);
  return steps.some(
    (other) =>
      other !== step &&
      sources.includes(other.step_id) &&
      (other.step_id === wanted || needs(other, wanted, steps, { tools, options: {} })),
  );
}

function referenceLater(step: PlanStep, context: PlanContext, index: number, steps: Steps): object | undefined {
  const later = steps.slice(index + 1).find((other) => !needs(other, step.step_id, steps, context));
  return referring(step, later?.step_id, context.tools);
}

function cycle(steps: Steps, where: number, { tools }: PlanContext): JsonObject | undefined {
  const [first, second] = [steps[where % Math.max(1, steps.length - 1)], steps[(where % Math.max(1, steps.length - 1)) + 1]];
  if (!first || !second) return undefined;
  const swapped = new Map([
    [first, referring(first, second.step_id, tools)],
    [second, referring(second, first.step_id, tools)],
  ]);
  return toPlan(steps.map((step) => swapped.get(step) ?? step));
}
