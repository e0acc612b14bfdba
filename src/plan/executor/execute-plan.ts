import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { isValidated } from '../../core/util/validated.ts';
import type { PlanStep, ValidatedPlan } from '../gate/plan.ts';
import { taintAfter, threadTaint } from './approval.ts';
import { effectOf } from './effect-of.ts';
import type { CallRecord, ExecuteOptions, PastStep, PlanResult, StepResult } from './execute-plan.types.ts';
import { isNotCallable } from './is-not-callable.ts';
import type { Job } from './job.ts';
import { type CallEnvironment, toEnvironment, unknownTool } from './journal-call.ts';
import { resolveArguments } from './resolve-arguments.ts';
import { runJobs } from './run-jobs.ts';
import { dependenciesOf } from './schedule.ts';
import { toolSignature } from './tool-signature.ts';

/**
 * Executes a plan: each step once its arguments are available, `once` steps one after the other, each call as a journaled step. Equal calls
 * run once, unless a call with an effect ran since. When a step fails, the results of the others stay, and steps that need its output do
 * not start.
 *
 * @throws {WorkflowError} `PLAN_NOT_VALIDATED` for a plan that `parsePlan` did not create; `OPTION_INVALID`; `CALL_IN_DOUBT`; the reason of
 * an abort. A failing tool is a failed step, not an exception.
 * @example const { results } = await executePlan(parsePlan(reply.text, { tools }), { tools });
 */
export async function executePlan<TTool extends Tool>(
  plan: ValidatedPlan,
  options: ExecuteOptions<TTool>,
): Promise<PlanResult<StepResult<TTool>>> {
  assertValidated(plan);
  const { execution = 'auto', history = [], until = 'end' } = options;
  const environment = toEnvironment(options);
  const { tools } = environment;
  const outputs = new Map<number, Json>();
  const learn = (id: number, record: CallRecord): void => {
    if (record.status === 'success') outputs.set(id, record.output);
  };
  for (const past of history) learn(past.step.step_id, past);
  // a step of the plan replaces an older step with the same number
  for (const { step_id } of plan.steps) outputs.delete(step_id);
  const stepOf = new Map(plan.steps.map((step) => [toJob(step, outputs, environment), step]));
  // a plan's own steps end with its visit, or, in sequential execution, with the first failure
  const ofEarlierPlans = execution === 'auto' ? history.length : 1 + history.findLastIndex(({ status }) => status === 'failure');
  const { records, held, remaining, taint } = await runJobs(
    [...stepOf.keys()],
    {
      execution,
      until,
      history,
      ofEarlierPlans: options.ofEarlierPlans ?? ofEarlierPlans,
      succeeded: outputs.keys(),
      taint: history.reduce((before, past) => taintAfter(before, tools.get(past.step.tool), past), threadTaint(options)),
      onEnd: ({ id }, record) => learn(id, record),
    },
    environment,
  );
  const stepsOf = (jobs: Iterable<Job>): readonly PlanStep[] => [...jobs].flatMap((job) => stepOf.get(job) ?? []);
  const results: readonly PastStep[] = [...records].flatMap(([job, record]) => stepsOf([job]).map((step) => ({ step, ...record })));
  return {
    // `defineTool` guarantees the type of a tool's output
    results: results as readonly StepResult<TTool>[],
    remaining: stepsOf(remaining),
    held: [...held].flatMap(([job, call]) => stepsOf([job]).map((step) => ({ step, ...call }))),
    taint,
  };
}

const toJob = (step: PlanStep, outputs: ReadonlyMap<number, Json>, environment: CallEnvironment): Job => ({
  id: step.step_id,
  key: `step_${step.step_id}`,
  effect: effectOf(environment.tools.get(step.tool)),
  needs: dependenciesOf(step),
  prepare() {
    const tool = environment.tools.get(step.tool);
    if (!tool) return unknownTool(step.tool);
    try {
      const args = resolveArguments(step, tool, outputs, environment);
      return { tool, args, signature: toolSignature({ name: tool.name, args }) };
    } catch (error) {
      if (isNotCallable(error)) return error;
      throw error;
    }
  },
});

function assertValidated(plan: ValidatedPlan): void {
  if (isValidated(plan)) return;
  throw new WorkflowError({
    code: 'PLAN_NOT_VALIDATED',
    message: 'The plan did not come from parsePlan.',
    hint: "Pass the planner's text to parsePlan, and its result to executePlan.",
  });
}
