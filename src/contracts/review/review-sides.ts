import { isMostlyKorean } from '../../core/text/is-korean.ts';
import type { ContractDocument } from '../contract-document.ts';
import { contractFacts } from '../facts/contract-facts.ts';
import type { ReviewParty } from './contract-review.ts';

/** `both` stands for all parties. */
export const bothSides = 'both';

const englishRoles =
  'Landlord|Tenant|Lessor|Lessee|Seller|Buyer|Purchaser|Vendor|Supplier|Customer|Client|Provider|Contractor|Subcontractor|Consultant|Licensor|Licensee|Employer|Employee|Franchisor|Franchisee|Distributor|Manufacturer|Lender|Borrower|Company|Agent|Principal|Agency|Developer|Sponsor|Reseller|Party A|Party B';
const koreanRoles =
  '갑|을|임대인|임차인|매도인|매수인|도급인|수급인|발주자|위탁자|수탁자|공급자|구매자|회사|고객|회원|이용자|사용자|근로자|가맹본부|가맹점사업자|양도인|양수인|대주|차주|허락자|제공자|수령자';
const minMentions = 2;

/** Pairs of roles in contracts with more than two parties, and names of one role in both languages. */
const counterparts: readonly (readonly [string, string])[] = [
  ['landlord lessor 임대인', 'tenant lessee 임차인'],
  ['seller vendor supplier 매도인 공급자 판매자', 'buyer purchaser customer 매수인 구매자 고객'],
  ['licensor 허락자 라이선서', 'licensee 이용자 라이선시'],
  ['employer 사용자', 'employee worker 근로자'],
  ['client company principal 도급인 발주자 위탁자', 'contractor consultant agent 수급인 수탁자'],
  ['provider 제공자 회사', 'customer user client 고객 회원 이용자'],
  ['franchisor 가맹본부', 'franchisee 가맹점사업자'],
  ['lender 대주', 'borrower 차주'],
  ['disclosing 제공자', 'receiving recipient 수령자'],
];

const payers =
  /^(?:tenant|lessee|buyer|purchaser|customer|client|licensee|franchisee|borrower|student|member|user|임차인|매수인|구매자|고객|회원|이용자|수강생|가맹점사업자|차주)$/i;

/** The sides of a contract, and what finds them in a sentence. */
export interface ReviewSides {
  readonly parties: readonly ReviewParty[];
  /** Source of a regular expression for the name of any side. */
  readonly source: string;
  /** The side that the words name. */
  sideOf(words: string): string | undefined;
  /** The other side, if there is one. */
  otherThan(side: string | undefined): string | undefined;
  /** The side that acts in the sentence at a position: a role, or `both`. */
  subjectAt(sentence: string, at: number): string | undefined;
  /** The side that usually pays. */
  readonly payer?: string;
}

/** Returns the parties: those that the contract defines; without two of them, names and roles that it makes act. */
export function reviewParties(document: ContractDocument): readonly ReviewParty[] {
  const defined = contractFacts(document).parties.flatMap(({ role, name }): readonly ReviewParty[] => {
    const called = role ?? name?.split(/,\s/)[0];
    if (called === undefined || standIn.test(called)) return [];
    const own = role !== undefined && /[가-힣]/.test(role) ? name?.replace(new RegExp(`^${escaped(role)}\\s+`), '') : name;
    return [{ role: called, ...(own === undefined || own === '' || own === called ? {} : { name: own }) }];
  });
  if (defined.length >= 2) return defined;
  const isKnown = (role: string): boolean => defined.some((party) => party.role === role || party.name?.startsWith(role));
  const used = usedRoles(document.text).filter((role) => !isKnown(role));
  return [...defined, ...used.slice(0, 2 - defined.length).map((role) => ({ role }))];
}

/** Names for whichever party the sentence concerns. */
const standIn =
  /^(?:(?:receiving|disclosing|indemnif\w+|non-?\w+|defaulting|terminating) part(?:y|ies)|parties|party|both parties|recipient|discloser)$/i;
const namedInBrackets =
  /\(\s*(?:(?:the|each|hereinafter|collectively|referred to as|called|as)[\s,:]+){0,5}["“]?([A-Z][\w&.’' -]{1,30}?)["”]?(?:\s*(?:or|and)\s*["“][^"“”()]{1,40}["”])?\s*\)/g;
const noParty =
  /agreement|contract(?!or)|addendum|\b(?:lease|date|term|services?|products?|customers|software|program|territory|act|order|policy)$/i;
const openingChars = 12_000;

function usedRoles(text: string): readonly string[] {
  const named = Array.from(text.slice(0, openingChars).matchAll(namedInBrackets), ([, name = '']) => escaped(name.trim()));
  const names = [...new Set([...named, ...englishRoles.split('|')])].join('|');
  const found = isMostlyKorean(text)
    ? text.matchAll(new RegExp(`(?<![가-힣])(${koreanRoles})(?=["”’']?(?:은|는|이|가|의|에게)(?![가-힣]))`, 'g'))
    : text.matchAll(new RegExp(`\\b(${names})\\s+(?:shall|will|may|must|agrees?|hereby|is entitled)\\b`, 'g'));
  const counts = new Map<string, number>();
  for (const { 1: role = '' } of found) if (!standIn.test(role) && !noParty.test(role)) counts.set(role, (counts.get(role) ?? 0) + 1);
  const roles = [...counts].filter(([, count]) => count >= minMentions).sort((a, b) => b[1] - a[1]);
  return roles.map(([role]) => role);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const groupOf = (role: string, index: number): readonly [number, 0 | 1] | undefined => {
  const words = role.toLowerCase();
  const has = (names: string | undefined): boolean => (names ?? '').split(' ').includes(words);
  const pair = counterparts[index];
  return has(pair?.[0]) ? [index, 0] : has(pair?.[1]) ? [index, 1] : undefined;
};
const groupsOf = (role: string): readonly (readonly [number, 0 | 1])[] =>
  counterparts.flatMap((_, index) => {
    const group = groupOf(role, index);
    return group === undefined ? [] : [group];
  });

/** Returns the role that a user's word names: a role, a party's name, or the role's name in the other language. */
export function roleNamed(word: string, parties: readonly ReviewParty[]): string | undefined {
  const plain = (text: string): string =>
    text
      .normalize('NFKC')
      .replace(/[\s"“”'‘’「」『』.,]+|^the\s/gi, '')
      .toLowerCase();
  const wanted = plain(word);
  const exact = parties.find(({ role, name }) => plain(role) === wanted || (name !== undefined && plain(name) === wanted));
  if (exact || wanted === '') return exact?.role;
  const part = parties.filter(({ name }) => name !== undefined && wanted.length >= 2 && plain(name).includes(wanted));
  if (part.length === 1) return part[0]?.role;
  const groups = groupsOf(wanted);
  const alike = parties.filter(({ role }) =>
    groupsOf(role).some(([index, end]) => groups.some((one) => one[0] === index && one[1] === end)),
  );
  return alike.length === 1 ? alike[0]?.role : undefined;
}

const particles = '은|는|이|가|의|에게|에게서|으로부터|로부터|에|과|와|을|를|도|만|으로|로|측';
const everyone =
  /\b(?:either|each|both|neither|any|a|every) (?:of the )?part(?:y|ies)\b|\b(?:the|each of the) parties\b|\bparties\b|\bmutual(?:ly)?\b|\bone party\b|\bthe (?:party (?:at fault|in (?:breach|default))|(?:defaulting|breaching|terminating|affected) party)|\bthe other(?:'s| party)|당사자|쌍방|서로|상호|각자|상대방/i;
/** Words behind the acting party. */
const acts = String.raw`(?:shall|must|may|will|can|agrees?|undertakes?|reserves|waives?|irrevocably|hereby|is|are|has|have|does|bears?|pays?|assigns?|indemnif\w+|disclaims?|acknowledges?|warrants?|grants?|fails?|remains?|gives?|acts?|receives?|gets?|obtains?)`;
/** The subject of these receives; the giver acts. */
const receives = String.raw`\s+(?:shall|will|may|must|is|are)(?: \w+ly)?(?: be)? (?:to be )?(?:paid|indemnified|reimbursed|compensated|refunded|notified|informed)\b`;
const receivesKo = /받(?:는다|기로|습니다|으며|아야)/;
/** `을은 갑이 … 아니할 것을 요구할 수 있다`: the words speak of 갑. */
const embedded = /^[^.]{0,20}?(?:것|음|함|됨)(?:을|에)\s[^.]*(?:요구|청구|요청|동의|승낙|허락|인정|확인|보장|약속)/;

export function reviewSides(parties: readonly ReviewParty[]): ReviewSides {
  const words = new Map<string, string>();
  for (const { role, name } of parties) {
    words.set(role, role);
    if (name !== undefined && name.length >= 2) words.set(name, role);
  }
  const names = [...words.keys()].sort((a, b) => b.length - a.length);
  const korean = names.filter((name) => /[가-힣]/.test(name)).map(escaped);
  const latin = names
    .filter((name) => !/[가-힣]/.test(name))
    .flatMap((name) => [name, name.toUpperCase()])
    .map((name) => escaped(name).replace(/\s+/g, '\\s+'));
  const sources = [
    ...(korean.length === 0 ? [] : [`(?<![가-힣])(?:${korean.join('|')})(?=["”’'」』]?(?:${particles})(?![가-힣])|[,·]|\\s(?:및|또는)|$)`]),
    ...(latin.length === 0 ? [] : [`\\b(?:${latin.join('|')})\\b`]),
  ];
  const source = sources.length === 0 ? '(?!)' : `(?:${sources.join('|')})`;
  const upper = new Map([...words].map(([name, role]) => [name.toUpperCase(), role]));
  const sideOf = (text: string): string | undefined => {
    const name = text.replace(/\s+/g, ' ').trim();
    return words.get(name) ?? upper.get(name);
  };
  const all = new RegExp(source, 'g');
  const joined = new RegExp(`${source}["”’']?(?:과|와|,|·|\\s*및|\\s+and|\\s+or)\\s*(?:the\\s+)?${source}`);
  const topic = new RegExp(`(${source})["”’'」』]?(?:은|는)(?![가-힣])`, 'g');
  const marked = new RegExp(`(${source})["”’'」』]?(?:이|가|도)(?![가-힣])`, 'g');
  const acting = new RegExp(
    String.raw`(?<!\bto (?:the )?)(${source})(?:'s)?(?:,?\s+(?:also|not|it|then|which[^,]{0,80},|who[^,]{0,80},|in turn|alone))?\s+${acts}\b`,
    'g',
  );
  const lastBefore = (pattern: RegExp, sentence: string, at: number): string | undefined => {
    const found = [...sentence.matchAll(pattern)].filter(({ index }) => index <= at).at(-1);
    return found === undefined ? undefined : sideOf(found[1] ?? '');
  };
  const receiving = new RegExp(`(${source})${receives}`, 'g');
  const giver = new RegExp(String.raw`\bby (?:the )?(${source})`);
  const giverKo = new RegExp(`(${source})["”’'」』]?(?:으로부터|로부터|에게서)`);
  const sideIn = (pattern: RegExp, text: string): string | undefined => sideOf(pattern.exec(text)?.[1] ?? '');
  const actorInEnglish = (subject: string, sentence: string, at: number): string | undefined => {
    const passive = [...sentence.matchAll(receiving)].filter(({ index }) => index <= at).at(-1);
    if (passive === undefined || sideOf(passive[1] ?? '') !== subject) return subject;
    return sideIn(giver, sentence.slice(passive.index));
  };
  const actorInKorean = (subject: string, sentence: string, at: number): string | undefined => {
    if (receivesKo.test(sentence.slice(at))) return sideIn(giverKo, sentence);
    const inner = embedded.test(sentence.slice(at)) ? lastBefore(marked, sentence, at) : undefined;
    return inner ?? subject;
  };
  const isForAll = (sentence: string): boolean => everyone.test(sentence) || joined.test(sentence);
  const payer = parties.filter(({ role }) => payers.test(role));
  return {
    parties,
    source,
    sideOf,
    otherThan: (side) => otherThan(side, parties),
    subjectAt(sentence, at) {
      const isKorean = /[가-힣]/.test(sentence);
      // a clause in front may name all parties and the acting one may still be one of them: the nearest subject decides
      const nearest = isKorean ? (lastBefore(topic, sentence, at) ?? lastBefore(marked, sentence, at)) : lastBefore(acting, sentence, at);
      if (isKorean ? subjectIsAll(sentence, at) || joinedBefore(joined, sentence, at) : isForAll(headOf(sentence, at))) return bothSides;
      if (nearest !== undefined) return (isKorean ? actorInKorean : actorInEnglish)(nearest, sentence, at);
      return [...sentence.slice(0, at + 1).matchAll(all)].length === 0 && isForAll(sentence) ? bothSides : undefined;
    },
    ...(payer.length === 1 && payer[0] ? { payer: payer[0].role } : {}),
  };
}

const subjectIsAll = (sentence: string, at: number): boolean =>
  /(?:당사자|쌍방|양측|각자)(?:\s?일방|들)?(?:은|는|이|가|의|도)/.test(sentence.slice(0, at + 1));
function joinedBefore(joined: RegExp, sentence: string, at: number): boolean {
  const found = joined.exec(sentence);
  return found !== null && found.index <= at && /^["”’']?(?:은|는|이|가)/.test(sentence.slice(found.index + found[0].length));
}
/** The clause up to a position: what stands before it since the last semicolon. */
const headOf = (sentence: string, at: number): string => {
  const from = sentence.lastIndexOf(';', at) + 1;
  const modal = /\b(?:shall|must|may|will|can|agrees?|waives?|reserves?|is|are|has|submits?)\b/.exec(
    sentence.slice(from, Math.max(at, from + 20)),
  );
  return sentence.slice(from, modal ? from + modal.index : Math.max(at, from));
};

function otherThan(side: string | undefined, parties: readonly ReviewParty[]): string | undefined {
  if (side === undefined || side === bothSides) return undefined;
  const others = parties.filter(({ role }) => role !== side);
  if (others.length === 1) return others[0]?.role;
  const own = groupsOf(side);
  const facing = others.filter(({ role }) => groupsOf(role).some(([index, end]) => own.some((one) => one[0] === index && one[1] !== end)));
  return facing.length === 1 ? facing[0]?.role : undefined;
}
