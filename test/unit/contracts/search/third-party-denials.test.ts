import { createAnswerFinder, parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import { deniedThirdParty, partyWording } from '../../../../src/contracts/search/third-party-denials.ts';

describe('deniedThirdParty', () => {
  it.each([
    ["The Vendor's subcontractors shall not compete.", 'subcontractors'],
    ['The Service Provider’s Subcontractor may not assign it.', 'subcontractor'],
    ['(a) Any subcontractor of the Vendor shall not assign it.', 'subcontractor'],
    ['Subcontractors shall not disclose it.', 'subcontractors'],
    ['No third party may not use it.', 'third party'],
    ["The Vendor's agents will never sell it.", 'agents'],
    ['을의 하수급인은 경업을 하여서는 아니 된다.', '하수급인'],
    ['제2조(인력) ① 수급인의 협력업체는 이를 양도할 수 없다.', '협력업체'],
    ['제3자는 이를 사용하지 못한다.', '제3자'],
  ])('%s', (sentence, who) => {
    expect(deniedThirdParty(sentence)).toBe(who);
  });

  it.each([
    'The Vendor shall not compete.',
    'The Subcontractor shall not compete.',
    'The Customer shall not assign it.',
    "The Vendor's subcontractors shall deliver it.",
    'The Vendor and its subcontractors shall not compete.',
    'The Vendor shall not permit its subcontractors to compete.',
    'No third party claims are known.',
    '하수급인은 이를 양도할 수 없다.',
    '을은 제3자에게 이를 양도할 수 없다.',
    '을의 하수급인은 이를 납품한다.',
    '이용자는 이를 복제할 수 없다.',
    '',
  ])('finds no third party in %j', (sentence) => {
    expect(deniedThirdParty(sentence)).toBeUndefined();
  });
});

describe('partyWording', () => {
  it('leaves out prohibitions of others, even below a heading', () => {
    const text = "Article 2 Staff\nThe Vendor's subcontractors shall not compete. The Vendor shall not compete.";
    expect(partyWording(text)).toEqual({ text: 'Article 2 Staff The Vendor shall not compete.', thirdParties: ['subcontractors'] });
    expect(partyWording('A.  B.\nC')).toEqual({ text: 'A.  B.\nC', thirdParties: [] });
  });
});

describe('createAnswerFinder for prohibitions of others', () => {
  const clause = (who: string): string => `Article 1 Work
The Vendor builds the software for the Customer in six months and delivers it to its offices.

Article 2 Staff
${who} shall not compete with the Customer. ${who} shall not assign this work without consent.
`;
  const find = async (who: string, question: string) =>
    (await createAnswerFinder(parseContract({ name: 'a.txt', text: clause(who) }))).find(question).verdict;

  it.each([
    ["The Vendor's subcontractor", 'Is there a non-compete?', 'nearest'],
    ["The Vendor's subcontractor", 'Can the contract be assigned?', 'nearest'],
    ["The Vendor's subcontractor", 'May a subcontractor compete?', 'answer'],
    ['The Vendor', 'Is there a non-compete?', 'answer'],
    ['The Vendor', 'Can the contract be assigned?', 'answer'],
  ])('%s: %s is %s', async (who, question, verdict) => {
    expect(await find(who, question)).toBe(verdict);
  });

  it('returns the verdict nearest in Korean too', async () => {
    const text =
      '제1조(용역) 을은 소프트웨어를 개발하여 갑에게 납품한다.\n\n제2조(인력) 을의 하수급인은 갑의 경쟁업체에서 경업을 하여서는 아니 된다.\n';
    const finder = await createAnswerFinder(parseContract({ name: 'a.txt', text }));
    expect(finder.find('경업금지 조항이 있나요?').verdict).toBe('nearest');
    expect(finder.find('하수급인은 경업을 할 수 있어?').verdict).toBe('answer');
  });
});
