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
  },
  guards: state.guards(guards),
  actions: { merge: state.merge },
}).createMachine({
  id: 'contract_agent',
  version: '2',
  initial: 'scope_validator',
  context: ({ input }) => initialState(input),
  output: ({ context }) => ({
    answer: context.finalResponse ?? '',
    sources: context.sources,
    citations: context.citations,
    verdict: context.verdict,
    lookedFor: context.wording?.lookedFor ?? [],
    toolHistory: context.toolHistory,
    decisionLog: context.decisionLog,
    error: context.error,
  }),
  states: {
    scope_validator: {
      description: 'Is it about the contract, and does it refer to the last answer? By rules first, then by a model.',
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
      description: 'Does the question need the last turn? Asks a model only when rules have not decided.',
      invoke: {
        src: 'check_previous_context',
        input: ({ context }) => context,
        onDone: { target: 'plan_next_action', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    plan_next_action: {
      description: 'Chooses the next look-ups, or none.',
      invoke: {
        src: 'plan_next_action',
        input: ({ context }) => context,
        onDone: [
          { guard: 'allToolsSkipped', target: 'evaluate_sufficiency', actions: 'merge' },
          { guard: 'noTools', target: 'generate_response', actions: 'merge' },
          { guard: 'canExecuteParallel', target: 'execute_tools_parallel', actions: 'merge' },
          { target: 'execute_tools', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    execute_tools: {
      description: 'Looks things up one after the other. Asks no model.',
      invoke: {
        src: 'execute_tools',
        input: ({ context }) => context,
        onDone: { target: 'evaluate_sufficiency', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    execute_tools_parallel: {
      description: 'Looks things up at the same time. Asks no model.',
      invoke: {
        src: 'execute_tools_parallel',
        input: ({ context }) => context,
        onDone: { target: 'evaluate_sufficiency', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    evaluate_sufficiency: {
      description: 'Is what was read enough for an answer? At the limit of iterations it has to be.',
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
      description:
        'Answers from what was read, and names the articles. What it cites is checked; asks once more when something is not there.',
      invoke: {
        src: 'generate_response',
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
