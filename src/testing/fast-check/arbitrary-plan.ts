import fc from 'fast-check';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { ToolSpec } from '../../core/ports/tool.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { isHighRisk } from '../../core/tool-facts/is-high-risk.ts';
import { primaryInputOf } from '../../core/tool-facts/primary-input.ts';
import { isToolName } from '../../core/tool-facts/tool-name.ts';
import type { ParsePlanOptions } from '../../plan/gate/parse-plan.ts';
import type { PlanStep } from '../../plan/gate/plan.ts';
import { arbitraryJson } from './arbitrary-json.ts';

/** A plan as a model proposes it: input of the gate, once it is JSON. */
export type ProposedPlan = JsonObject & { readonly steps: readonly PlanStep[] };

export interface ArbitraryPlanOptions extends Omit<ParsePlanOptions, 'tools'> {
  /** Maximum number of steps to make, if `maxSteps` allows more. @default 5 */
  readonly steps?: number;
  /** Arguments by tool name, for tools whose schema is not specific enough. Default: `arbitraryJson(tool.inputSchema)`. */
  readonly arguments?: Readonly<Record<string, fc.Arbitrary<JsonObject>>>;
}

/**
 * Plans that `parsePlan` accepts with the same tools and options. Arguments follow the tools' schemas; any of them can come from the output
 * of an earlier or completed step.
 *
 * Tools that no valid plan can name are left out: those with a duplicate name, an invalid name or an invalid schema. In a replan, a
 * high-risk tool that no accepted plan had is also left out.
 * @throws {WorkflowError} `OPTION_INVALID` if no arguments were found for a tool.
 * @example fc.property(arbitraryPlan(tools), (plan) => void parsePlan(plan, { tools }))
 */
export function arbitraryPlan(tools: readonly ToolSpec[], options: ArbitraryPlanOptions = {}): fc.Arbitrary<ProposedPlan> {
  const { maxSteps = 20, origin = 'planner', completed = [] } = options;
  const usable = plannableTools(tools, options);
  if (usable.length === 0) return fc.constant(toPlan([]));
  const drafts = fc.array(fc.oneof({ withCrossShrink: true }, ...usable.map((tool) => draftOf(tool, options))), {
    maxLength: Math.min(maxSteps, options.steps ?? 5),
  });
  const order = origin === 'planner' ? fc.boolean() : fc.constant(false);
  const succeeded = completed.flatMap(({ step_id, status }) => (status === 'success' ? [step_id] : []));
  return fc.tuple(drafts, order).map(([all, downwards]) => {
    const ids = freshIds(
      all.map(({ gap }) => gap),
      options,
    );
    if (downwards) ids.reverse();
    const earlier = [...succeeded];
    return toPlan(
      all.map((draft, index) => {
        const id = ids[index] ?? 0;
        const step = toStep(draft, id, earlier);
        earlier.push(id);
        return step;
      }),
    );
  });
}

function plannableTools(tools: readonly ToolSpec[], options: ArbitraryPlanOptions): readonly ToolSpec[] {
  const { origin = 'planner', accepted = [], validator = jsonSchemaValidator } = options;
  return tools.filter(
    (tool) =>
      isToolName(tool.name) &&
      tools.filter(({ name }) => name === tool.name).length === 1 &&
      validator.compile(tool.inputSchema).ok &&
      (origin === 'planner' || !isHighRisk(tool) || accepted.some((other) => other.tool === tool.name)),
  );
}

interface Draft {
  readonly tool: ToolSpec;
  readonly args: JsonObject;
  /** Source of each argument, in order: an index into the earlier steps, or `null` for a literal. */
  readonly from: readonly (number | null)[];
  readonly pointer: string;
  /** Number of unused ids between this step and the previous one. */
  readonly gap: number;
  /** Uses the short form if there is one: a text, or nothing. */
  readonly short: boolean;
}

function draftOf(tool: ToolSpec, { arguments: own = {}, validator }: ArbitraryPlanOptions): fc.Arbitrary<Draft> {
  const made = Object.hasOwn(own, tool.name) ? own[tool.name] : undefined;
  return fc.record({
    // shrinks before the arguments, so that an argument no longer filled can be left out
    from: fc.array(fc.option(fc.nat({ max: 9 }), { freq: 2 }), { maxLength: 3 }),
    pointer: fc.constantFrom('', '', '#/results/0/url', '#/a~1b'),
    gap: fc.nat({ max: 2 }),
    short: fc.boolean(),
    tool: fc.constant(tool),
    args: made ?? (arbitraryJson(tool.inputSchema, validator ? { validator } : {}) as fc.Arbitrary<JsonObject>),
  });
}

/** Returns ids above all ids of the run. */
export function freshIds(gaps: readonly number[], { completed = [], accepted = [] }: ArbitraryPlanOptions): number[] {
  let id = [...completed, ...accepted].reduce((highest, { step_id }) => Math.max(highest, step_id), 0);
  return gaps.map((gap) => {
    id += 1 + gap;
    return id;
  });
}

function toStep({ tool, args, from, pointer, short }: Draft, step_id: number, earlier: readonly number[]): PlanStep {
  const primary = primaryInputOf(tool);
  const awaited = Object.keys(args).flatMap((name, index) => {
    const source = from[index] ?? null;
    return source === null || earlier.length === 0 ? [] : [[name, `step_${earlier[source % earlier.length]}${pointer}`] as const];
  });
  const known = Object.entries(args).filter(([name]) => !awaited.some(([other]) => other === name));
  const [[name, value] = ['', null]] = known;
  const [[awaitedName, reference] = ['', '']] = awaited;
  const isText = short && known.length === 1 && name === primary && typeof value === 'string';
  const isReference = short && awaited.length === 1 && awaitedName === primary;
  return {
    step_id,
    tool: tool.name,
    ...(known.length === 0 && short ? {} : { input: isText ? value : Object.fromEntries(known) }),
    ...(awaited.length === 0 ? {} : { input_from: isReference ? reference : Object.fromEntries(awaited) }),
  };
}

/** Converts a list of steps to a plan. */
export const toPlan = (steps: readonly PlanStep[]): ProposedPlan => ({ steps: steps as readonly (PlanStep & Json)[] });
