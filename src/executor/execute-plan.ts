import { WorkflowError } from '../errors.ts';
import type { PlanStep, ValidatedPlan } from '../plan/plan.ts';
import type { Json } from '../ports/json.ts';
import { ajvValidator } from '../schema/ajv-validator.ts';
import { isValidated } from '../util/validated.ts';
import { type CallEnvironment, callTool, capabilitiesOf, failure, reuse, toEnvironment } from './call-tool.ts';
import type { CallRecord, ExecuteOptions, PastStep, PlanResult } from './execute-plan.types.ts';
import { resolveArguments } from './resolve-arguments.ts';
import { nextSteps } from './schedule.ts';
import { toolSignature } from './tool-signature.ts';

/**
 * Executes a plan: each step once its inputs are there, each call as a journaled step, equal calls once. A failing step keeps the results
 * of the others; what needs its output is not started.
 *
 * @throws {WorkflowError} `PLAN_NOT_VALIDATED` for anything that `parsePlan` has not made; `CALL_IN_DOUBT`; the reason of an abort. A failing
 *   tool is a failed step, not an exception.
 * @example const { results } = await executePlan(parsePlan(reply.text, { tools }), { tools });
 */
export async function executePlan(plan: ValidatedPlan, options: ExecuteOptions): Promise<PlanResult> {
  assertValidated(plan);
  const { execution = 'auto', concurrency = 8, history = [], until = 'end', validator = ajvValidator } = options;
  const environment = toEnvironment(options);
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

  const isOnce = (step: PlanStep): boolean => (environment.tools.get(step.tool)?.effect ?? 'once') === 'once';
  const rules = { execution, concurrency, isOnce };
  const waiting = new Set(plan.steps);
  const running = new Map<PlanStep, Promise<PastStep>>();
  const results: PastStep[] = [];

  const run = async (step: PlanStep, taintedAtStart: boolean): Promise<PastStep> => {
    const tool = environment.tools.get(step.tool);
    try {
      if (!tool) return { step, ...(await callTool(keyOf(step), step.tool, {}, taintedAtStart, environment)) };
      const args = resolveArguments(step, tool, outputs, validator);
      return { step, ...(await calls.call(keyOf(step), tool.name, args, taintedAtStart)) };
    } catch (error) {
      if (WorkflowError.isInstance(error) && error.code === 'TOOL_INPUT_INVALID')
        return { step, ...failure(error, '', environment.clock.now()) };
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

/** Calls of one execution and of the run before it: an equal call that has succeeded, or is under way, is not made again. */
export class SharedCalls {
  readonly #environment: CallEnvironment;
  readonly #known = new Map<string, Promise<CallRecord>>();

  constructor(history: readonly CallRecord[], environment: CallEnvironment) {
    this.#environment = environment;
    for (const record of history) if (record.status === 'success') this.#known.set(record.signature, Promise.resolve(record));
  }

  async call(key: string, name: string, args: Parameters<typeof callTool>[2], tainted: boolean): Promise<CallRecord> {
    const signature = toolSignature({ name, args });
    const known = this.#known.get(signature);
    if (known) {
      const earlier = await known;
      if (earlier.status === 'success') return reuse(key, name, args, earlier, this.#environment);
    }
    const made = callTool(key, name, args, tainted, this.#environment);
    this.#known.set(signature, made);
    return made;
  }
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
