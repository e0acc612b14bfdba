import { defineMachine, final, node } from 'agent-machines';
import { guards } from './guards.ts';
import { initialState, state } from './state.ts';

/**
 * Checks the question, explores the contract in a loop of planning, looking up and evaluating, and answers from the texts that it has read.
 */
export const machine = defineMachine(state, {
  id: 'contract_agent',
  version: '2',
  initial: 'scope_validator',
  context: initialState,
  output: ({ finalResponse, sources, citations, verdict, wording, toolHistory, decisionLog, error }) => ({
    answer: finalResponse ?? '',
    sources,
    citations,
    verdict,
    lookedFor: wording?.lookedFor ?? [],
    toolHistory,
    decisionLog,
    error,
  }),
  guards,
  states: {
    scope_validator: node('scope_validator', {
      description: 'Is it about the contract, and does it refer to the last answer? By rules first, then by a model.',
      done: [{ guard: 'outOfScope', target: 'out_of_scope' }, 'check_previous_context'],
      error: 'stopped',
    }),
    check_previous_context: node('check_previous_context', {
      description: 'Does the question need the last turn? Asks a model only when rules have not decided.',
      done: 'plan_next_action',
      error: 'stopped',
    }),
    plan_next_action: node('plan_next_action', {
      description: 'Chooses the next look-ups, or none.',
      done: [
        { guard: 'allToolsSkipped', target: 'evaluate_sufficiency' },
        { guard: 'noTools', target: 'generate_response' },
        { guard: 'canExecuteParallel', target: 'execute_tools_parallel' },
        'execute_tools',
      ],
      error: 'stopped',
    }),
    execute_tools: node('execute_tools', {
      description: 'Looks things up one after the other. Asks no model.',
      done: 'evaluate_sufficiency',
      error: 'stopped',
    }),
    execute_tools_parallel: node('execute_tools_parallel', {
      description: 'Looks things up at the same time. Asks no model.',
      done: 'evaluate_sufficiency',
      error: 'stopped',
    }),
    evaluate_sufficiency: node('evaluate_sufficiency', {
      description: 'Is what was read enough for an answer? At the limit of iterations it has to be.',
      done: [{ guard: 'shouldContinue', target: 'plan_next_action' }, 'generate_response'],
      error: 'stopped',
    }),
    generate_response: node('generate_response', {
      description:
        'Answers from what was read, and names the articles. What it cites is checked; asks once more when something is not there.',
      done: 'done',
      error: 'stopped',
    }),
    done: final(),
    out_of_scope: final(),
    stopped: final('failure'),
  },
});
