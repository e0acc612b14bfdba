import type { Article } from '../contract-document.ts';
import { quoteAround } from './quote-around.ts';

/** A party to a contract. */
export interface ContractParty {
  /** The name as written; absent if the document leaves it blank. */
  readonly name?: string;
  /** The contract's name for the party: `Company`, `갑`, `임대인`. */
  readonly role?: string;
  /** The text that states the party. */
  readonly quote: string;
  /** The `id` of the part that contains the quote. */
  readonly partId: string;
}

const maxChars = 6_000;
const koreanRoles =
  '갑|을|병|정|임대인|임차인|매도인|매수인|도급인|수급인|수급사업자|원사업자|위탁자|수탁자|위임인|수임인|발주자|발주기관|계약상대자|공급자|구매자|대주|차주|사용자|근로자|양도인|양수인|라이선서|라이선시';
const defined =
  /([^\n()（）,:：;]{2,60}?)\s*[(（]\s*(?:이하\s*)?["“'‘「『]?\s*([가-힣A-Za-z]{1,12})\s*["”'’」』]?\s*(?:(?<=이하[^()]{1,20}["”’」])|이?라(?:고)?\s*(?:한다|함|칭한다|칭함|합니다)|(?:으로|로)\s*칭(?:한다|함))[^()]{0,20}[)）]/g;
/** `2028년 1월 31일(이하 “효력발생일”)` defines a day. */
const endsWithDate = /(?:19|20)\d\d\s?[년.]\s?\d{1,2}\s?[월.]\s?\d{1,2}\s?[일.]?\s*$/;
const namedDay = /(?:발생|체결|계약|개시|시작|시행|기준|착수|종료|만료|인도|지급|납품)일$/;
/** The topic and the date that a sentence states before the first party. */
const beforeName =
  /^.*(?:(?:19|20)\d\d\s?[년.]\s?\d{1,2}\s?[월.]\s?\d{1,2}\s?(?:일|\.)(?:자로|자에|자|에)?,?|(?:^|\s)(?:이|본)\s?(?:[가-힣]+\s?)?(?:계약|약정|협약|합의)서?(?:은|는))\s+/;
const listed = new RegExp(
  String.raw`^[ \t"“'‘(\[<*#-]{0,8}(${koreanRoles})[ \t]*["”'’)\]>*]{0,3}[ \t]*(?:[:：]|\t| {2,})[ \t]*([^\n]{0,60})`,
  'gm',
);
const blank = /^[\s_.…·ㆍ(),:：-]*(?:\(?(?:인|서명|날인|印)\)?)?[\s_.…·-]*$/;
const afterName = /\s*(?:[(（[]\s*(?:인|서명|날인|印|서명 또는 인).*|대표(?:이사|자)?\s.*| {3,}.*)$/;

const between = /\b(?:by and (?:between|among)|between|among|BETWEEN|BY AND BETWEEN|is made by(?!\s+and\b))\b:?/;
export const recitals: RegExp = /\b(?:WHEREAS|Whereas|RECITALS?|R E C I T A L S|WITNESSETH|NOW,? THEREFORE|Background|BACKGROUND)\b/;
const roleMark = /\(([^()]{0,160}?)["“]([^"“”()]{1,40})["”][^()]{0,160}\)/g;
const noRole = /agreement|contract(?!or)|date|part(?:y|ies)$|lease$|addendum|amendment|term$/i;
const describes =
  /,?\s+(?:(?:an?|the)\s(?:[\w'’-]+\s){0,4}?(?:corporation|company|limited|partnership|individual|entity|organization|trust|association|body|person|LLC|resident|citizen|bank)|whose|with\s|having|located|duly|incorporated|organi[sz]ed|existing|residing|of\s\d|acting|through|by its|on behalf|together|a\s).*$/is;

/** Returns the parties from their definitions in the preamble; without these, from the signature lines. */
export function partiesOf(
  opening: readonly Article[],
  closing: readonly Article[],
  defining: readonly Article[] = [],
): readonly ContractParty[] {
  const found = [...opening, ...closing, ...defining].flatMap((part) => [...koreanParties(part)]);
  const english = opening.flatMap((part) => [...englishParties(part)]);
  const byRole = new Map<string, ContractParty>();
  for (const party of found.length > 0 ? found : english) {
    const key = party.role ?? party.name ?? '';
    const known = byRole.get(key);
    if (!known || (known.name === undefined && party.name !== undefined)) byRole.set(key, party);
  }
  return [...byRole.values()];
}

function* koreanParties({ text, id }: Article): Generator<ContractParty> {
  const start = text.slice(0, maxChars);
  if (!/[가-힣]/.test(start)) return;
  for (const { 0: all, 1: before = '', 2: role = '', index } of start.matchAll(defined)) {
    if (/^(?:계약|본|당|위|용역|약정|협약|사업|목적물|부동산|건물|물건|서비스|제품|당사자|양\s?당사자)/.test(role)) continue;
    if (endsWithDate.test(before) || namedDay.test(role)) continue;
    const name = before
      .replace(beforeName, '')
      .replace(/^.*?(?:와|과|및|,)\s+(?=\S)/, '')
      .replace(/^(?:와|과|및)\s*/, '')
      .trim();
    yield { ...(blank.test(name) ? {} : { name }), role, quote: quoteAround(start, index, all.length), partId: id };
  }
  for (const { 0: all, 1: role = '', 2: rest = '', index } of start.matchAll(listed)) {
    const name = rest
      .replace(/^(?:성명|상호|회사명|업체명|이름)\s*[:：]?\s*/, '')
      .replace(afterName, '')
      .trim();
    yield { ...(blank.test(name) ? {} : { name }), role, quote: quoteAround(start, index, all.length), partId: id };
  }
}

function* englishParties({ text, id }: Article): Generator<ContractParty> {
  const start = text.slice(0, maxChars);
  const opens = between.exec(start);
  if (!opens) return;
  const from = opens.index + opens[0].length;
  const end = recitals.exec(start.slice(from))?.index ?? start.length - from;
  const window = start.slice(from, from + end);
  const marks = [...window.matchAll(roleMark)].filter(({ 2: role = '' }) => !noRole.test(role));
  let at = 0;
  for (const { 0: all, 2: role = '', index } of marks) {
    const stretch = window.slice(at, index);
    const name = nameIn(stretch) || nameIn(/^.*[,;]?\s(?:and|AND)\s(?=[A-Z\d])(.*)$/s.exec(stretch)?.[1] ?? '');
    if (name !== '' || /_{3}/.test(stretch)) {
      yield { ...(name === '' ? {} : { name }), role, quote: quoteAround(start, from + at, index - at + all.length), partId: id };
    }
    at = index + all.length;
  }
  if (marks.length > 0) return;
  const names = /^\s*((?:[^.;]|\.(?=\S|\s?,|\s(?:and|of)\b)){3,200}?)[,\s]+and[:\s]+((?:[^.;,(]|\.(?=\S|\s?,)){3,100})/.exec(window);
  for (const raw of names?.slice(1) ?? []) {
    const name = nameIn(raw);
    if (name !== '') yield { name, quote: quoteAround(start, from, Math.min(200, window.length)), partId: id };
  }
}

/** Returns the name at the beginning of a passage, without its description. */
function nameIn(stretch: string): string {
  const plain = stretch
    .replace(/\*+/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,;:.)–-]*(?:and|AND|by and between|between|the undersigned)?[\s,;:]*(?:\(\d\)|\d\.|\([a-z]\))?[\s,;:-]*/, '')
    .replace(/^(?:and|AND)[\s,:]+/, '');
  const name = plain
    .replace(describes, '')
    .replace(/[\s,;:(]+$/, '')
    .slice(0, 120);
  return /^[A-Z0-9][\w&.,'’() /-]*$/u.test(name.normalize('NFKD').replace(/\p{M}/gu, '')) && /[A-Za-z]{2}/.test(name) ? name : '';
}
