import type { ReviewLanguage } from './contract-review.ts';

interface ReviewWords {
  readonly parties: string;
  readonly signed: string;
  readonly effective: string;
  readonly term: string;
  readonly notStated: string;
  readonly findings: string;
  readonly noFindings: string;
  readonly dates: string;
  readonly openDates: string;
  readonly money: string;
  readonly duties: string;
  readonly absent: string;
  readonly differences: string;
  readonly missing: string;
  readonly added: string;
  readonly past: string;
  readonly both: string;
  readonly notClear: string;
  readonly against: string;
  readonly for: string;
  readonly certain: string;
  readonly look: string;
  readonly model: string;
  readonly rulesOnly: string;
  readonly withModel: string;
  readonly modelFailed: string;
  reviewedFor(role: string): string;
  burdens(role: string): string;
  more(count: number): string;
}

/** Words of a report, by language. */
export const reviewWords: Readonly<Record<ReviewLanguage, ReviewWords>> = {
  en: {
    parties: 'Parties',
    signed: 'Signed',
    effective: 'Effective',
    term: 'Term',
    notStated: 'not stated',
    findings: 'Clauses to look at',
    noFindings: 'The rules found none. That does not mean that there is none.',
    dates: 'Dates',
    openDates: 'Periods without a date',
    money: 'Money',
    duties: 'Duties',
    absent: 'Not settled, though usual in such a contract',
    differences: 'Differences from the standard contract',
    missing: 'only in the standard contract',
    added: 'only here',
    past: 'past',
    both: 'both sides',
    notClear: 'party not clear',
    against: 'against you',
    for: 'in your favour',
    certain: 'certain',
    look: 'look at it',
    model: 'by the model',
    rulesOnly: 'by rules only: no model is configured',
    withModel: 'by rules and a model',
    modelFailed: 'by rules only: the model has failed',
    reviewedFor: (role) => `for ${role}`,
    burdens: (role) => `burdens ${role}`,
    more: (count) => `… and ${count} more; --json has all.`,
  },
  ko: {
    parties: '당사자',
    signed: '체결일',
    effective: '효력발생일',
    term: '계약기간',
    notStated: '적혀 있지 않음',
    findings: '살펴볼 조항',
    noFindings: '규칙으로는 찾지 못했다. 불리한 조항이 없다는 뜻은 아니다.',
    dates: '날짜',
    openDates: '날짜가 정해지지 않은 기한',
    money: '금액',
    duties: '의무',
    absent: '이런 계약에 흔히 있지만 정하지 않은 사항',
    differences: '표준계약서와 다른 점',
    missing: '표준계약서에만 있음',
    added: '이 계약서에만 있음',
    past: '지남',
    both: '양쪽',
    notClear: '당사자가 분명하지 않음',
    against: '나에게 불리',
    for: '나에게 유리',
    certain: '확실',
    look: '확인 필요',
    model: '모델 의견',
    rulesOnly: '규칙으로만 검토함: 설정된 모델이 없음',
    withModel: '규칙과 모델로 검토함',
    modelFailed: '규칙으로만 검토함: 모델이 실패함',
    reviewedFor: (role) => `${role} 입장`,
    burdens: (role) => `${role}에게 부담`,
    more: (count) => `… 외 ${count}개. --json은 전부 출력한다.`,
  },
};
