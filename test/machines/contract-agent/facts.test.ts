import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import { ask } from './helpers.ts';

const about = async (text: string, question: string): Promise<{ answer: string; sources: readonly string[] }> => {
  const { output } = await ask(question, { contracts: [{ contract: parseContract({ name: 'a.txt', text }) }] });
  return { answer: output.answer, sources: output.sources.map(({ label }) => label) };
};

const lease =
  'This Agreement is made as of January 5, 2026 (the "Effective Date") by and between Acme Inc., a Delaware corporation ("Company"), and Beta Ltd. ("Customer").\n\nArticle 1. Price\nThe total price is USD 5,000.\n\nArticle 2. Termination\nEither party may terminate on 30 days notice.\n\nIN WITNESS WHEREOF, the parties have signed on January 6, 2026.\n\nBy: ____\n';
const korean =
  '용역 계약서\n\n주식회사 가나(이하 "갑"이라 한다)와 다라 주식회사(이하 "을"이라 한다)는 다음과 같이 계약한다.\n\n제1조(대금) 총 계약금액은 금 1,000,000원으로 한다.\n제2조(해지) 30일 전에 알리고 해지할 수 있다.\n\n2026년 1월 5일\n\n갑: 주식회사 가나 (인)\n을: 다라 주식회사 (인)\n';

describe('facts of the contract in contract-agent by rules', () => {
  it.each([
    [lease, 'Who are the parties?', /^The parties:\n- Company: Acme Inc\.\n- Customer: Beta Ltd\./, 'Preamble'],
    [lease, 'What is the effective date?', /^Takes effect:\n- 2026-01-05/, 'Preamble'],
    [lease, 'When was it signed?', /2026-01-06[\s\S]*Signatures\n> /, 'Signatures'],
    [lease, 'What is the total price?', /USD 5,000/, 'Article 1'],
    [korean, '당사자가 누구야?', /^당사자:\n- 갑: 주식회사 가나\n- 을: 다라 주식회사/, '전문'],
    [korean, '언제 체결했어?', /2026-01-05[\s\S]*서명\n> /, '서명'],
    [korean, '총 금액은?', /1,000,000원/, '제1조'],
    [korean, 'Who are the parties?', /^The parties:\n- 갑: 주식회사 가나/, '전문'],
  ])('%#: %s %s', async (text, question, expected, source) => {
    const { answer, sources } = await about(text, question);
    expect(answer).toMatch(expected);
    expect(sources).toContain(source);
  });

  const room =
    '작업실 임대차계약서\n\n제1조(보증금과 차임) 보증금은 500만원, 차임은 월 40만원으로 한다.\n\n제2조(기간) 2027년 3월 2일부터 1년으로 한다.\n\n제3조(수선) 임대인이 지붕을 고친다.\n';
  const shed =
    'SHED LEASE\n\n1. RENT. Tenant shall pay $300 each month.\n\n2. TERM. The term is two years from May 1, 2027.\n\n3. ROOF. Landlord repairs the roof.\n';
  it.each([
    [room, '월세는 40만원이지?', /^네, 40만원입니다\.\n\n제1조\(보증금과 차임\)\n> /],
    [room, '월세는 250만원이지?', /^아니요, 40만원입니다\.\n\n제1조\(보증금과 차임\)\n> /],
    [shed, 'the rent is $3,000, right?', /^No: \$300\.\n\nArticle 1 \(RENT\)\n> /],
    [shed, 'The rent is $300, right?', /^Yes: \$300\.\n\nArticle 1 \(RENT\)\n> /],
    [shed, 'The deposit is $300, right?', /^(?!Yes|No:)/],
  ])('%#: %s confirms or denies %s', async (text, question, expected) => {
    const { output } = await ask(question, { contracts: [{ contract: parseContract({ name: 'a.txt', text }) }] });
    expect(output.answer).toMatch(expected);
    if (/^(?:네|아니요|Yes|No)/u.test(output.answer)) expect(output).toMatchObject({ verdict: 'answer' });
    expect(output.citations.every(({ status }) => status === 'supported')).toBe(true);
  });

  const lesson =
    'TUITION\n\n1. LESSONS. Two a week.\n\n2. FEE. $40 a lesson.\n\n3. GUARANTY. Ann Ray guarantees the fee.\n\nTUTOR\n\n____________\nMay Lee\n\nPUPIL\n\n____________\nJo Ray\n\nJune 2, 2027\n';
  const struckOut =
    '과외 계약서\n\n제1조(수업) ① 수업은 주 2회로 한다.\n② 수업은 ~~학생의 집~~ 도서관에서 한다.\n\n제2조(회비) 회비는 월 20만원으로 한다.\n\n제3조(기간) 1년으로 한다.\n';
  it.each([
    [lesson, 'When was it signed?', /^Signed, or dated:\n- 2027-06-02/],
    [lesson, 'Who is the guarantor?', /GUARANTY[\s\S]*Ann Ray guarantees the fee/],
    [struckOut, '1조의 두 번째 항 보여줘', /^제1조 제2항[^\n]*\n> ② 수업은[\s\S]*\n취소선이 그어진 부분: “학생의 집”$/],
  ])('%#: answers %s', async (text, question, expected) => {
    expect((await about(text, question)).answer).toMatch(expected);
  });

  it('reports blanks instead of guessing', async () => {
    const text =
      'This Agreement is made this ____ day of ______, 2026 between ________ ("Seller") and Acme Inc. ("Buyer").\n\nArticle 1. Term\nOne year.\n\nArticle 2. Law\nDelaware.\n';
    expect((await about(text, 'Who are the parties?')).answer).toContain('- Seller: left blank');
    expect((await about(text, 'When was it signed?')).answer).toContain('left blank');
  });

  it('reports an unreadable structure', async () => {
    const text = 'Dear Sir,\n\nwe confirm that either party may terminate on thirty days notice in writing.\n\nYours\n';
    expect((await about(text, 'Can a party terminate?')).answer).toMatch(
      /^The structure of this document was not read[\s\S]*terminate on thirty days/,
    );
    expect((await about(text, '해지할 수 있어?')).answer).toContain('조항의 구조를 읽지 못했습니다');
  });
});
