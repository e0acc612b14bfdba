import { setup } from 'xstate';
import { guards } from './guards.ts';
import { initialState, state } from './state.ts';

/**
 * Checks the question, explores the contract in a loop of planning, looking up and evaluating, and answers from the texts that it has read.
 */
export const machine = setup({
  types: state.types,
  actors: {
    scope_validator: state.slot('scope_validator'),
    check_previous_context: state.slot('check_previous_context'),
    plan_next_action: state.slot('plan_next_action'),
    execute_tools: state.slot('execute_tools'),
    execute_tools_parallel: state.slot('execute_tools_parallel'),
    evaluate_sufficiency: state.slot('evaluate_sufficiency'),
    generate_response: state.slot('generate_response'),
    ask_each_contract: state.slot('ask_each_contract'),
  },
  guards: state.guards(guards),
  actions: { merge: state.merge },
}).createMachine({
  id: 'contract_agent',
  version: '3',
  initial: 'scope_validator',
  context: ({ input }) => initialState(input),
  output: ({ context }) => ({
    answer: context.finalResponse ?? '',
    sources: context.sources,
    citations: context.citations,
    verdict: context.verdict,
    lookedFor: context.wording?.lookedFor ?? [],
    table: context.table,
    toolHistory: context.toolHistory,
    decisionLog: context.decisionLog,
    error: context.error,
  }),
  states: {
    scope_validator: {
      description:
        'Decides whether the question is about the contract, and whether it refers to the last answer. Uses rules first, then a model.',
      invoke: {
        src: 'scope_validator',
        input: ({ context }) => context,
        onDone: [
          { guard: 'outOfScope', target: 'out_of_scope', actions: 'merge' },
          { target: 'check_previous_context', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    check_previous_context: {
      description: 'Decides whether the question needs the last turn. Calls a model only if no rule decides.',
      invoke: {
        src: 'check_previous_context',
        input: ({ context }) => context,
        onDone: { target: 'plan_next_action', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    plan_next_action: {
      description: 'Chooses the next calls, or none.',
      invoke: {
        src: 'plan_next_action',
        input: ({ context }) => context,
        onDone: [
          { guard: 'asksEach', target: 'ask_each_contract', actions: 'merge' },
          { guard: 'allToolsSkipped', target: 'evaluate_sufficiency', actions: 'merge' },
          { guard: 'noTools', target: 'generate_response', actions: 'merge' },
          { guard: 'canExecuteParallel', target: 'execute_tools_parallel', actions: 'merge' },
          { target: 'execute_tools', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    execute_tools: {
      description: 'Executes calls one after the other. Calls no model.',
      invoke: {
        src: 'execute_tools',
        input: ({ context }) => context,
        onDone: { target: 'evaluate_sufficiency', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    execute_tools_parallel: {
      description: 'Executes calls in parallel. Calls no model.',
      invoke: {
        src: 'execute_tools_parallel',
        input: ({ context }) => context,
        onDone: { target: 'evaluate_sufficiency', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    evaluate_sufficiency: {
      description: 'Decides whether the collected articles are enough. At the limit of iterations they are.',
      invoke: {
        src: 'evaluate_sufficiency',
        input: ({ context }) => context,
        onDone: [
          { guard: 'shouldContinue', target: 'plan_next_action', actions: 'merge' },
          { target: 'generate_response', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    generate_response: {
      description: 'Answers from the collected articles and cites them. Asks the model once more if a citation is wrong.',
      invoke: {
        src: 'generate_response',
        input: ({ context }) => context,
        onDone: { target: 'done', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    ask_each_contract: {
      description: 'Asks each of several contracts the same question, and answers with a table.',
      invoke: {
        src: 'ask_each_contract',
        input: ({ context }) => context,
        onDone: { target: 'done', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    done: { type: 'final' },
    out_of_scope: { type: 'final' },
    stopped: { type: 'final', tags: 'failure' },
  },
});
