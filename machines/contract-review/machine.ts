import { defineMachine } from 'agent-machines';
import { guards } from './guards.ts';
import { initialState, state, toOutput } from './state.ts';

/** Reviews by rules; with a model, adds those of its findings that the contract supports. */
export const machine = defineMachine(state, {
  id: 'contract_review',
  version: '1',
  initial: 'apply_rules',
  context: initialState,
  output: toOutput,
  guards,
  states: {
    apply_rules: {
      description: 'Reads the contract and reviews it by rules. Calls no model.',
      node: 'apply_rules',
      done: [{ guard: 'hasModel', target: 'ask_model' }, 'done'],
      error: 'stopped',
    },
    ask_model: {
      description: 'Asks the model for more findings, each with a quote.',
      node: 'ask_model',
      done: 'check_findings',
      error: 'stopped',
    },
    check_findings: {
      description: 'Keeps the findings whose quote stands verbatim in the contract. Calls no model.',
      node: 'check_findings',
      done: 'done',
      error: 'stopped',
    },
    done: { final: true },
    stopped: { final: 'failure' },
  },
});
