import type { ContractDocument } from '../contract-document.ts';
import type { ReviewLanguage } from './contract-review.ts';

/** The type of a contract, which decides the checklist. `other`: not recognized, so only the general points are checked. */
export type ContractType = 'lease' | 'employment' | 'services' | 'sale' | 'licence' | 'nda' | 'other';

/** First match wins, in the title first. */
const titles: readonly (readonly [ContractType, RegExp])[] = [
  ['nda', /non-?disclosure|confidentiality agreement|\bNDA\b|비밀\s?유지\s?(?:계약|약정|서약)|기밀\s?유지/i],
  ['employment', /employment|근로\s?계약|고용\s?계약|연봉\s?계약/i],
  ['licence', /licen[cs]e|사용\s?허락|라이선스|이용\s?허락|출판권\s?설정/i],
  ['lease', /\blease\b|\btenancy\b|rental agreement|임대차|전세\s?계약/i],
  ['services', /services?\b|consult\w+|outsourc|development agreement|maintenance|용역|위임|도급|위탁|자문|개발\s?계약|유지\s?보수|공사/i],
  ['sale', /suppl(?:y|ies)|\bsales?\b|purchase|distribut|매매|공급|납품|판매|구매/i],
];

const words: Readonly<Record<Exclude<ContractType, 'other'>, RegExp>> = {
  nda: /confidential information|disclosing party|receiving party|비밀정보/gi,
  employment: /\b(?:employee|employer|salary|wages)\b|근로자|사용자|임금|근로시간/gi,
  licence: /\b(?:licensor|licensee|licen[cs]ed|royalt\w+)\b|사용허락|라이선스|사용료/gi,
  lease: /\b(?:landlord|tenant|lessor|lessee|premises|rent)\b|임대인|임차인|차임|보증금/gi,
  services: /\b(?:services|consultant|contractor|deliverables)\b|용역|수급인|과업|산출물|수탁자/gi,
  sale: /\b(?:goods|products?|seller|buyer|purchaser|supplier|shipment)\b|물품|매수인|매도인|공급자|납품/gi,
};

const minWords = 5;

export function contractTypeOf({ title, text }: ContractDocument): ContractType {
  const opening = `${title}\n${text.slice(0, 300)}`;
  const titled = titles.find(([, pattern]) => pattern.test(title)) ?? titles.find(([, pattern]) => pattern.test(opening));
  if (titled) return titled[0];
  const counts = Object.entries(words).map(([type, pattern]) => ({ type, count: text.match(pattern)?.length ?? 0 }));
  const [best] = counts.sort((a, b) => b.count - a.count);
  const known = titles.find(([type]) => type === best?.type)?.[0];
  return known === undefined || (best?.count ?? 0) < minWords ? 'other' : known;
}

export const typeTitles: Readonly<Record<ContractType, Readonly<Record<ReviewLanguage, string>>>> = {
  lease: { en: 'lease', ko: '임대차계약' },
  employment: { en: 'employment contract', ko: '근로계약' },
  services: { en: 'contract for services', ko: '용역·도급계약' },
  sale: { en: 'sale or supply contract', ko: '매매·공급계약' },
  licence: { en: 'licence', ko: '사용허락계약' },
  nda: { en: 'confidentiality agreement', ko: '비밀유지계약' },
  other: { en: 'contract of an unrecognized type', ko: '유형을 알 수 없는 계약' },
};
