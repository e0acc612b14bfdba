import { createActor, type MachineContext, toPromise } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { GuardEvent } from '../../core/util/apply-guards.ts';
import { checkOptions, fn, required } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import { withTaint } from '../../core/util/taint.ts';
import { taintError } from '../../core/util/tainted-error.ts';
import { toJson } from '../../core/util/to-json.ts';
import { assertMachine } from '../define/assert-machine.ts';
import type { Workflow } from '../define/define-workflow.ts';
import { nameErrors } from '../define/definition-error.ts';
import { waitingStates } from '../define/graph.ts';
import { markSubWorkflow, type NodeHandler } from '../define/node.ts';
import { taintInput, taintOfEnd } from './carry-taint.ts';
import { failureAt } from './drive-end.ts';
import { drive } from './driver.ts';
import { hostOf } from './driver-io.ts';

interface SubWorkflowEnd<TOutput> {
  readonly finalState: string;
  readonly output: TOutput;
  /**
   * Error behind a final state that is tagged `failure`. Throw it, or store it in the outer state. Otherwise the outer run continues
   * without it.
   */
  readonly failure?: ErrorInfo;
}

export interface SubWorkflowOptions<TState, TInput, TOutput> {
  /** Makes the inner workflow's input. */
  readonly toInput: (state: Readonly<TState>) => TInput;
  /** Makes the change of the outer state from the inner workflow's end. */
  readonly toPatch: (end: SubWorkflowEnd<TOutput>, state: Readonly<TState>) => Partial<TState>;
}

/**
 * Makes a node of a whole workflow. It is journaled in the outer run, waits for humans through it, and counts towards its limits. If the
 * outer state and the inner machine's input have a key `taint`, the thread's taint is passed in and out through it.
 *
 * Under a plain `createActor` it runs live. @throws {WorkflowError} `SUBWORKFLOW_WAITS` there, when it has waiting states.
 * @example nodes: { research: subWorkflow(research, { toInput: (s) => ({ topic: s.topic }), toPatch: ({ output }) => ({ notes: output }) }) }
 */
export function subWorkflow<TState extends MachineContext, TInput, TInner, TOutput>(
  workflow: Workflow<TInput, TInner, TOutput>,
  options: SubWorkflowOptions<TState, TInput, TOutput>,
): NodeHandler<TState> {
  checkOptions('subWorkflow', options, subWorkflowOptions);
  assertMachine(isObject(workflow) ? workflow.machine : undefined);
  const { toInput, toPatch } = options;
  const patchOf = nameErrors(`toPatch of "${workflow.id}"`, toPatch);
  const inputOf = nameErrors(`toInput of "${workflow.id}"`, toInput);
  const handler: NodeHandler<TState> = async (state, io) => {
    const verdicts: GuardEvent[] = [];
    const stored: Json = toJson(
      workflow.parseInput(inputOf(state), (verdict) => verdicts.push(verdict)),
      'input',
    );
    // a step, because the input is parsed again at each resume
    if (verdicts.length > 0)
      await io.step('input_guards', async () => verdicts.map((verdict) => io.emit(verdict)).length, { effect: 'pure' });
    const inside = hostOf(io);
    const start = { runId: io.key, startedAt: inside?.host.startedAt ?? Date.now(), thread: workflow.thread?.initial ?? null };
    const input = taintInput(workflow.toMachineInput(stored, start), state);
    if (inside) {
      const nesting = { prefix: `${io.key}/`, stop: inside.stop, guards: inside.guards };
      return carryingTaint(state, io.signal, patchOf, () => drive(workflow, input, inside.host, nesting));
    }
    if (waitingStates(workflow.machine).size > 0) {
      throw new WorkflowError({
        code: 'SUBWORKFLOW_WAITS',
        message: `The workflow "${workflow.id}" waits for a human, which is impossible inside a live actor.`,
        hint: 'Run the outer workflow with createRuntime().',
      });
    }
    const actor = createActor(workflow.machine, { input });
    io.signal.addEventListener('abort', () => actor.stop(), { once: true });
    return carryingTaint(state, io.signal, patchOf, async () => {
      const ended = toPromise(actor);
      actor.start();
      const output = await ended;
      const { value, context } = actor.getSnapshot();
      const finalState = String(value);
      const failure = failureAt(workflow.machine, finalState, undefined);
      return { finalState, output, state: context, ...(failure && { failure }) };
    });
  };
  return markSubWorkflow(handler, workflow);
}

const subWorkflowOptions = { toInput: required(fn), toPatch: required(fn) };

/** Adds the inner taint to the patch of an inner workflow's end, or to its error, because an error quotes data too. */
async function carryingTaint<TState extends MachineContext, TOutput>(
  state: Readonly<TState>,
  signal: AbortSignal,
  patchOf: (end: SubWorkflowEnd<TOutput>, state: Readonly<TState>) => Partial<TState>,
  run: () => Promise<SubWorkflowEnd<unknown> & { readonly state: unknown }>,
): Promise<Partial<TState>> {
  let inner: unknown;
  try {
    const { state: last, ...end } = await run();
    inner = last;
    return withTaint(patchOf({ ...end, output: end.output as TOutput }, state), taintOfEnd(inner, state));
  } catch (thrown) {
    throw signal.aborted ? thrown : taintError(thrown, taintOfEnd(inner, state));
  }
}
