import { fileURLToPath } from 'node:url';
import { loadContract } from 'agent-machines/contracts/node';
import { contains, defineEval, type EvalCase, grader, never, trajectory } from 'agent-machines/evals';
import { contractAgent } from 'agent-machines/machines/contract-agent';

const contract = await loadContract(fileURLToPath(new URL('../../../machines/contract-agent/examples/service.md', import.meta.url)));

/** Asks for each article by its number, and for numbers that the contract does not have. */
const cases: readonly EvalCase<{ readonly input: string }, string>[] = [
  ...contract.articles
    .filter(({ part, deleted }) => part === 'body' && !deleted)
    .map(({ label }) => ({ name: label, input: { input: `${label}의 내용을 보여줘` }, expected: label })),
  ...[39, 50, 99].map((number) => ({
    name: `제${number}조, which is missing`,
    input: { input: `제${number}조는?` },
    expected: `제${number}조를 찾지 못했습니다`,
  })),
];

const workflow = contractAgent({ contracts: [{ contract }] }); // indexed once

export default defineEval({
  name: 'contract-agent: articles by number without a model',
  workflow: () => workflow,
  cases,
  graders: [
    contains('answer'),
    grader('names only supported places', ({ output }) => {
      const { citations: all } = output as { readonly citations: readonly { readonly status: string }[] };
      return all.every(({ status }) => status === 'supported');
    }),
    trajectory(
      [
        'scope_validator -> check_previous_context',
        'check_previous_context -> plan_next_action',
        'evaluate_sufficiency -> generate_response',
        'generate_response -> done',
      ],
      'in-order',
    ),
    never('scope_validator -> out_of_scope'),
  ],
});
