import { setup } from 'xstate';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json } from '../ports/json.ts';
import type { Taint } from '../ports/taint.ts';
import { subWorkflow } from '../runtime/sub-workflow.ts';
import { joinTaint, noTaint } from '../util/taint.ts';
import { defineWorkflow, type Workflow } from '../workflow/define-workflow.ts';
import { defineState } from '../workflow/state.ts';
import type { AgentEnd } from './as-tool.ts';

interface ShellState {
  readonly taint: Taint;
  readonly output: Json;
  readonly error: ErrorInfo | null;
}

/** A workflow of one node, which is another workflow. It keeps a taint, so that its end says what the inner one has read. */
export function shellOf<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  toInput: () => TInput,
  outputOf: (end: AgentEnd<Json>) => Json,
): Workflow<Taint, ShellState, ShellState> {
  const state = defineState<ShellState, Taint, ShellState>({
    reducers: { taint: joinTaint },
    onError: (_state, error) => ({ error }),
  });
  const machine = setup({ types: state.types, actors: { call: state.slot('call') }, actions: { merge: state.merge } }).createMachine({
    id: 'shell',
    initial: 'call',
    context: ({ input }) => ({ taint: joinTaint(noTaint, input), output: null, error: null }),
    output: ({ context }) => context,
    states: {
      call: {
        invoke: {
          src: 'call',
          input: ({ context }) => context,
          onDone: { target: 'done', actions: 'merge' },
          onError: { target: 'done', actions: 'merge' },
        },
      },
      done: { type: 'final', tags: 'success' },
    },
  });
  const call = subWorkflow<ShellState, TInput, TState, TOutput>(workflow, {
    toInput,
    toPatch: ({ finalState, output, failure }) =>
      failure ? { error: failure } : { output: outputOf({ finalState, output: output as Json }) },
  });
  return defineWorkflow({ machine, nodes: { call } });
}
