import { thrownOf, toErrorInfo, toSafeError, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { WorkflowCallEnd } from '../../core/ports/tool.ts';
import { everyTaint, joinTaint, noTaint } from '../../core/util/taint.ts';
import { defineMachine } from '../../engine/define/define-machine.ts';
import { defineWorkflow, type Workflow } from '../../engine/define/define-workflow.ts';
import { defineState } from '../../engine/define/state.ts';
import { final, node } from '../../engine/define/state-config.ts';
import { subWorkflow } from '../../engine/drive/sub-workflow.ts';
import { createRuntime } from '../../engine/run/create-runtime.ts';
import type { AgentEnd } from './as-tool.ts';

interface ShellState {
  readonly taint: Taint;
  readonly output: Json;
  readonly error: ErrorInfo | null;
}

interface AloneOptions<TInput> {
  readonly toInput: () => TInput;
  readonly toOutput: (end: AgentEnd<Json>) => Json;
  /** Taint of the thread that receives the result. */
  readonly taint: Taint;
  /** Signal that cancels the workflow. */
  readonly signal: AbortSignal;
}

/** Runs a workflow in memory. It cannot ask a human: a waiting workflow fails with `SUBWORKFLOW_WAITS`. */
export async function runAlone<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  { toInput, toOutput, taint, signal }: AloneOptions<TInput>,
): Promise<WorkflowCallEnd> {
  const runtime = createRuntime();
  const run = runtime.start(shellOf(workflow, toInput, toOutput), { ...taint });
  signal.addEventListener('abort', () => void runtime.cancel(run.id).catch(() => {}), { once: true });
  const result = await run.result;
  if (result.status === 'done') {
    const { error, output, taint: read } = result.output;
    return error ? { error: toErrorInfo(failed(workflow.id, error)), taint: read } : { output, taint: read };
  }
  if (result.status === 'failed') return { error: toErrorInfo(failed(workflow.id, result.error)), taint: everyTaint };
  return { error: toErrorInfo(waits(workflow.id, result.status)), taint };
}

/** Wraps a workflow in a workflow of one node. The shell has a taint, so that its result includes the taint of the inner workflow. */
function shellOf<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  toInput: () => TInput,
  outputOf: (end: AgentEnd<Json>) => Json,
): Workflow<Taint, ShellState, ShellState> {
  const state = defineState<ShellState, Taint, ShellState>({
    reducers: { taint: joinTaint },
    onError: (_state, error) => ({ error }),
  });
  const machine = defineMachine(state, {
    id: 'shell',
    initial: 'call',
    context: (input) => ({ taint: joinTaint(noTaint, input), output: null, error: null }),
    output: (context) => context,
    states: { call: node('call', { done: 'done', error: 'done' }), done: final('success') },
  });
  const call = subWorkflow<ShellState, TInput, TState, TOutput>(workflow, {
    toInput,
    toPatch: ({ finalState, output, failure }) =>
      failure ? { error: failure } : { output: outputOf({ finalState, output: output as Json }) },
  });
  return defineWorkflow({ machine, nodes: { call } });
}

function failed(workflow: string, error: ErrorInfo): WorkflowError {
  const { message, hint = '' } = toSafeError(error);
  return new WorkflowError({ code: 'TOOL_FAILED', message: `The workflow "${workflow}" failed: ${message}`, hint, cause: thrownOf(error) });
}

const waits = (workflow: string, status: string): WorkflowError =>
  new WorkflowError({
    code: 'SUBWORKFLOW_WAITS',
    message: `The workflow "${workflow}" is ${status}. Outside a run, no human can answer it.`,
    hint: 'Call it in a node of a run that createRuntime() has started, and pass it the io of the node.',
  });
