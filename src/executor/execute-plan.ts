import { WorkflowError } from '../errors.ts';
import type { PlanStep, ValidatedPlan } from '../plan/plan.ts';
import type { Json } from '../ports/json.ts';
import { isValidated } from '../util/validated.ts';
import { capabilitiesOf, failure, toEnvironment, unknownTool } from './call-tool.ts';
import type { ExecuteOptions, PastStep, PlanResult } from './execute-plan.types.ts';
import { resolveArguments } from './resolve-arguments.ts';
import { nextSteps } from './schedule.ts';
import { isNotCallable, SharedCalls } from './shared-calls.ts';

/**
 * Executes a plan: each step once its inputs are there, each call as a journaled step, equal calls once. A failing step keeps the results
 * of the others; what needs its output is not started.
 *
 * @throws {WorkflowError} `PLAN_NOT_VALIDATED` for anything that `parsePlan` has not made; `OPTION_INVALID`; `CALL_IN_DOUBT`; the reason of
 *   an abort. A failing tool is a failed step, not an exception.
 * @example const { results } = await executePlan(parsePlan(reply.text, { tools }), { tools });
 */
export async function executePlan(plan: ValidatedPlan, options: ExecuteOptions): Promise<PlanResult> {
  assertValidated(plan);
  const { execution = 'auto', history = [], until = 'end' } = options;
  const environment = toEnvironment(options);
  const { concurrency } = environment;
  const calls = new SharedCalls(history, environment);
  const outputs = new Map<number, Json>();
  const succeeded = new Set<number>();
  let tainted = options.tainted ?? false;
  const learn = ({ step, status, output = null }: PastStep): void => {
    if (status !== 'success') return;
    succeeded.add(step.step_id);
    outputs.set(step.step_id, output);
    const tool = environment.tools.get(step.tool);
    if (!tool || capabilitiesOf(tool).private) tainted = true;
  };
  history.forEach(learn);
  for (const { step_id } of plan.steps) {
    // what the plan makes itself is not what an older step of that number has made
    succeeded.delete(step_id);
    outputs.delete(step_id);
  }

  const isOnce = (step: PlanStep): boolean => (environment.tools.get(step.tool)?.effect ?? 'once') === 'once';
  const rules = { execution, concurrency, isOnce };
  const waiting = new Set(plan.steps);
  const running = new Map<PlanStep, Promise<PastStep>>();
  const results: PastStep[] = [];

  const run = async (step: PlanStep, taintedAtStart: boolean): Promise<PastStep> => {
    const tool = environment.tools.get(step.tool);
    try {
      if (!tool) throw unknownTool(step.tool);
      const args = resolveArguments(step, tool, outputs, environment);
      return { step, ...(await calls.call(keyOf(step), tool, args, taintedAtStart)) };
    } catch (error) {
      if (isNotCallable(error)) return { step, ...failure(error, '', environment.clock.now()) };
      throw error;
    }
  };

  let mayStart = true;
  for (;;) {
    const state = { remaining: [...waiting], succeeded, running: running.size };
    const batch = mayStart ? nextSteps(state, rules) : [];
    if (until === 'wave') mayStart = false;
    const taintedAtStart = tainted; // what runs at the same time cannot know of each other's results
    for (const step of batch) {
      waiting.delete(step);
      const made = run(step, taintedAtStart);
      made.catch(() => {}); // when one is aborted all are, and only the first is awaited below
      running.set(step, made);
    }
    if (running.size === 0) break;
    const finished = await Promise.race(running.values());
    running.delete(finished.step);
    results.push(finished);
    learn(finished);
  }
  const order = new Map(plan.steps.map((step, index) => [step, index]));
  results.sort((a, b) => (order.get(a.step) ?? 0) - (order.get(b.step) ?? 0));
  return { results, remaining: [...waiting], tainted };
}

const keyOf = (step: PlanStep): string => `step_${step.step_id}`;

function assertValidated(plan: ValidatedPlan): void {
  if (isValidated(plan)) return;
  throw new WorkflowError({
    code: 'PLAN_NOT_VALIDATED',
    message: 'The plan did not come from parsePlan, so nothing of it is executed.',
    hint: "Pass the planner's text to parsePlan, and its result to executePlan.",
  });
}
