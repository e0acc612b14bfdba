// How questions over several contracts are read, and where an answer names a contract.
import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import { answerByRule } from '../../../machines/contract-agent/several/answer-by-contract.ts';
import { asksEach, asksForCatalogue, isYesNo, withoutEach } from '../../../machines/contract-agent/several/asks-each.ts';
import { catalogueOf, describeCatalogue } from '../../../machines/contract-agent/several/catalogue.ts';
import { contractsNamed, withoutNames } from '../../../machines/contract-agent/several/contracts-named.ts';
import { stretchesOf } from '../../../machines/contract-agent/several/stretches.ts';
import { severalContracts } from '../../fixtures/several-contracts.ts';

describe('asksEach', () => {
  it.each([
    ['Which of them renew automatically?', 'renew automatically?'],
    ['What is the deposit under each contract?', 'What is the deposit ?'],
    ['How many of our leases end this year?', 'end this year?'],
    ['Show the governing law per contract', 'Show the governing law'],
    ['계약별 해지 통지 기간은?', '해지 통지 기간은?'],
    ['이 중에 어느 것이 자동 연장돼?', '자동 연장돼?'],
    ['계약 중에 보증금이 있는 게 뭐야?', '보증금이 있는 게 뭐야?'],
    ['각 계약의 관할 법원은?', '관할 법원은?'],
  ])('finds a question for each in %s', (question, rest) => {
    expect([asksEach(question), withoutEach(question)]).toEqual([true, rest]);
  });

  it.each([
    'Does it supersede all prior agreements?',
    'Are all fees due at once?',
    'Which party pays for repairs?',
    'Who must sign each page?',
    '이 계약은 언제 끝나?',
    '계약 중에 생긴 비용은 누가 내?',
    '모든 비용은 누가 부담해?',
  ])('finds none in %s', (question) => {
    expect(asksEach(question)).toBe(false);
  });
});

it.each([
  ['Which contracts are there?', true],
  ['계약서 목록', true],
  ['계약이 모두 몇 개야?', true],
  ['Which contracts renew?', false],
  ['어떤 계약이 자동 갱신돼?', false],
])('asksForCatalogue of %s is %s', (question, expected) => {
  expect(asksForCatalogue(question)).toBe(expected);
});

it.each([
  ['renew automatically?', true],
  ['What is the notice period?', false],
  ['보증금이 있어?', true],
  ['보증금은 얼마야?', false],
  ['관할 법원을 알려줘', false],
])('isYesNo of %s is %s', (question, expected) => {
  expect(isYesNo(question)).toBe(expected);
});

describe('contractsNamed', () => {
  const catalogue = catalogueOf(severalContracts.map(({ contract }) => ({ name: contract.name.replace('.md', ''), document: contract })));

  it.each<readonly [string, readonly string[]]>([
    ['What does lease-kim say about rent?', ['lease-kim']],
    ['lease kim의 월세는?', ['lease-kim']],
    ['When is the machine from Rossi Machines due back?', ['equipment-loan']],
    ['the licence with Northwind: who owns it?', ['software-licence']],
    ['Which of the leases end this year?', ['lease-kim', 'lease-park']],
    ['임대차계약에서 보증금은?', ['lease-kim', 'lease-park']],
    ['대관원두에 물어낼 돈이 있어?', ['supply-beans']],
    // the own company is a party of all
    ['What must Dawn Coffee pay?', []],
    ['When is rent due?', []],
    ['이 계약은 언제 끝나?', []],
    ['release of liability', []],
  ])('reads %s', (question, names) => {
    expect(contractsNamed(question, catalogue)).toEqual(names);
  });

  it('leaves the rest of the question', () => {
    expect(withoutNames('In the lease, when is the rent due?', [])).toBe('when is the rent due?');
    expect(withoutNames('lease-kim의 월세는 얼마야?', ['lease-kim'])).toBe('월세는 얼마야?');
    expect(withoutNames('lease-kim', ['lease-kim'])).toBe('lease-kim');
  });

  it('describes contracts within a number of characters, and counts the others', () => {
    const lines = describeCatalogue(catalogue, { maxChars: 150, korean: false });
    expect(lines.join('').length).toBeLessThan(200);
    expect(lines.at(-1)).toMatch(/^and [56] more$/);
  });
});

describe('stretchesOf', () => {
  const named = (answer: string, names: readonly string[]) =>
    stretchesOf(answer, names).map((one) => [one.names.join('+'), one.text.trim()]);

  it('gives each stretch to the names before it', () => {
    expect(named('lease-a 제3조: 30일. lease-b: 60일.\n\n둘은 다릅니다.', ['lease-a', 'lease-b'])).toEqual([
      ['', '둘은 다릅니다.'],
      ['lease-a', '제3조: 30일.'],
      ['lease-b', ': 60일.'],
    ]);
    expect(named('lease-a and lease-b: 2 years', ['lease-a', 'lease-b'])).toEqual([['lease-a+lease-b', ': 2 years']]);
  });

  it('carries a heading over a blank line, and reads no name in a quote', () => {
    expect(named('**lease-a**\n\n> see lease-b', ['lease-a', 'lease-b'])).toEqual([
      ['', '**'],
      ['lease-a', '**\n\n> see lease-b'],
    ]);
  });

  it('takes a short name for one only before a label', () => {
    expect(named('In a case, a Article 3 says so.', ['a', 'b'])).toEqual([
      ['', 'In a case,'],
      ['a', 'Article 3 says so.'],
    ]);
  });
});

describe('answerByRule', () => {
  const of = (question: string, text: string, verdict: 'answer' | 'nearest' | 'silent' = 'answer') =>
    answerByRule(question, { name: 'a', verdict, passages: [{ label: 'Article 1', text }] });

  it.each([
    ['renew automatically?', 'The lease renews automatically each year.', 'yes'],
    ['renew automatically?', 'The lease shall not renew automatically.', 'no'],
    ['renew automatically?', 'If neither party objects, the lease is extended automatically for a year.', 'yes'],
    ['renew automatically?', 'It ends automatically unless the parties agree to extend it.', 'unclear'],
    ['자동으로 갱신돼?', '이 계약은 자동으로 갱신되지 아니한다.', 'no'],
    ['자동으로 갱신돼?', '반대하지 않으면 1년씩 갱신된다.', 'yes'],
    ['limit liability?', 'Liability shall not exceed the fees paid.', 'yes'],
    ['governed by New York law?', 'This Agreement is governed by the law of England.', 'unclear'],
  ])('%s, by “%s”: %s', (question, text, expected) => {
    expect(of(question, text).answer).toBe(expected);
  });

  it('never says no of silence, nor of something near', () => {
    expect(of('renew automatically?', '', 'silent').answer).toBe('not_found');
    expect(of('renew automatically?', 'The lease shall not renew automatically.', 'nearest').answer).toBe('unclear');
  });

  it('states the value of the kind that is asked for', () => {
    expect(of('What is the notice period?', 'On 45 days notice, for a fee of $90.')).toMatchObject({ answer: 'stated', value: '45 days' });
  });
});

it('parseContract names a document without a title by its file', () => {
  expect(parseContract({ name: 'lease.md', text: '제1조(목적) 하나.' }).title).toBe('lease');
});
