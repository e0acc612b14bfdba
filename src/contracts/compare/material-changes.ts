import { bareText } from '../../core/text/quotes.ts';
import type { RedlinePart } from '../../core/text/redline.ts';
import { conditionsIn, differInQuality } from './opposites.ts';

/**
 * The point that a change of wording affects: does it apply, must or may, which party, which law, by when, up to which limit, on which
 * condition, and of which kind (exclusive or not, free or paid, in writing or orally).
 */
export type MaterialTopic = 'negation' | 'obligation' | 'party' | 'law' | 'deadline' | 'limit' | 'condition' | 'quality';

/** A change of wording that changes the agreement. */
export interface MaterialChange {
  readonly topic: MaterialTopic;
  /** The changed words with their context, in either text. */
  readonly user: readonly string[];
  readonly standard: readonly string[];
}

const topics: readonly MaterialTopic[] = ['negation', 'obligation', 'party', 'law', 'deadline', 'limit', 'condition', 'quality'];
const maxPhrases = 3;
const maxPhraseChars = 60;
/** Longer changes count as rewritten; different words in them prove nothing. */
const maxHunkChars = 40;
const contextWords = 2;
const contextChars = 40;

interface Hunk {
  readonly before: string;
  readonly deleted: string;
  readonly inserted: string;
  readonly behind: string;
}

export interface MaterialChangesOptions {
  /** Paragraphs and items that only one of the texts has. They are reported separately. */
  readonly missing?: readonly string[];
  readonly added?: readonly string[];
  /** Party names that differ between the two contracts, such as 갑 for 발주자. See `renamedParties`. */
  readonly renamed?: ReadonlySet<string>;
}

/**
 * Returns the material changes in a redline from the standard's text to the user's. It checks only the changed words and the words around
 * them, so other clauses have no influence. In rewritten passages it compares only laws and courts.
 */
export function materialChanges(parts: readonly RedlinePart[], options: MaterialChangesOptions = {}): readonly MaterialChange[] {
  const { missing = [], added = [], renamed = new Set<string>() } = options;
  const isNamed = (text: string, units: readonly string[]): boolean =>
    text.trim() === '' || units.some((unit) => unit.includes(text.trim()));
  const hunks = withoutMoved(hunksOf(parts)).filter(({ deleted, inserted }) => !isNamed(deleted, missing) || !isNamed(inserted, added));
  return topics.flatMap((topic) => {
    const differing = hunks.filter((hunk) => isMaterial(topic, hunk, renamed)).slice(0, maxPhrases);
    if (differing.length === 0) return [];
    const phrases = (side: 'deleted' | 'inserted'): readonly string[] =>
      differing.flatMap((hunk) =>
        isRewrite(hunk) && topic === 'law' ? lawsIn(hunk[side]) : [phrase(hunk.before, hunk[side], hunk.behind)],
      );
    return [{ topic, user: phrases('inserted'), standard: phrases('deleted') }];
  });
}

/**
 * Returns the party names that only one of the two contracts uses, if each has such names. For example, one writes 발주자 and 수급인, the other 갑
 * and 을.
 */
export function renamedParties(user: string, standard: string): ReadonlySet<string> {
  const [users, standards] = [new Set(namesIn(user.normalize('NFKC'), party)), new Set(namesIn(standard.normalize('NFKC'), party))];
  const onlyUser = [...users].filter((name) => !standards.has(name));
  const onlyStandard = [...standards].filter((name) => !users.has(name));
  return new Set(onlyUser.length === 0 || onlyStandard.length === 0 ? [] : [...onlyUser, ...onlyStandard]);
}

function hunksOf(parts: readonly RedlinePart[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (let at = 0; at < parts.length; at++) {
    if (parts[at]?.kind === 'same') continue;
    const before = parts[at - 1];
    let [deleted, inserted] = ['', ''];
    for (; parts[at] && parts[at]?.kind !== 'same'; at++) {
      if (parts[at]?.kind === 'deleted') deleted += parts[at]?.text ?? '';
      else inserted += parts[at]?.text ?? '';
    }
    const lead = before?.kind === 'same' ? (/[^\n]*$/.exec(before.text.slice(-contextChars))?.[0] ?? '') : '';
    const tail = /^[^\n]*/.exec((parts[at]?.text ?? '').slice(0, contextChars))?.[0] ?? '';
    hunks.push({ before: lead, deleted, inserted, behind: tail });
  }
  return hunks;
}

/** Leaves out words that only stand elsewhere in the sentence: taken out in one place and put in at another. */
function withoutMoved(hunks: readonly Hunk[]): readonly Hunk[] {
  const isPaired = (own: string, others: readonly string[]): boolean => bareText(own) !== '' && others.includes(bareText(own));
  const deletions = hunks.filter(({ inserted }) => inserted.trim() === '').map(({ deleted }) => bareText(deleted));
  const insertions = hunks.filter(({ deleted }) => deleted.trim() === '').map(({ inserted }) => bareText(inserted));
  return hunks.filter(
    ({ deleted, inserted }) =>
      !(inserted.trim() === '' && isPaired(deleted, insertions)) && !(deleted.trim() === '' && isPaired(inserted, deletions)),
  );
}

const isRewrite = ({ deleted, inserted }: Hunk): boolean => Math.max(deleted.trim().length, inserted.trim().length) > maxHunkChars;

function isMaterial(topic: MaterialTopic, hunk: Hunk, renamed: ReadonlySet<string>): boolean {
  const { before, deleted, inserted, behind } = hunk;
  if (isRewrite(hunk)) {
    // an exception that is taken out or put in is no rewrite
    if (topic === 'condition') return (deleted.trim() === '' || inserted.trim() === '') && conditionsIn(deleted) !== conditionsIn(inserted);
    return topic === 'law' && lawsIn(deleted).join(' ') !== lawsIn(inserted).join(' ');
  }
  const [lead, tail] = [lastWords(before), firstWords(behind)];
  // a sentence that merely adds its subject keeps its meaning
  const glued = /^\S*/u.exec(behind)?.[0] ?? '';
  if (topic === 'party' && ![deleted, inserted].every((text) => anyParty.test(text) || namesIn(text + glued, party).length > 0))
    return false;
  if (topic === 'quality') return differInQuality((lead + deleted + tail).normalize('NFKC'), (lead + inserted + tail).normalize('NFKC'));
  return signs(topic, lead + deleted + tail, renamed) !== signs(topic, lead + inserted + tail, renamed);
}

const lastWords = (text: string): string => {
  const words = text.split(/(?<=\s)/u);
  // the first word may be cut off, so drop it
  return words.slice(text.length < contextChars ? -contextWords - 2 : Math.max(1, words.length - contextWords - 2)).join('');
};
const firstWords = (text: string): string =>
  text
    .split(/(?<=\s)/u)
    .slice(0, contextWords)
    .join('');

function phrase(before: string, changed: string, behind: string): string {
  const lead = before
    .split(/(?<=\s)/u)
    .slice(-contextWords)
    .join('');
  const tail = /^\S*/u.exec(behind)?.[0] ?? '';
  const glued = /\s$/u.test(changed) || (changed === '' && /\s$/u.test(before)) ? firstWords(behind).trimEnd() : tail;
  const whole = `${lead}${changed}${glued}`.replace(/\s+/gu, ' ').trim();
  return whole.length <= maxPhraseChars ? whole : `${whole.slice(0, maxPhraseChars - 1).trimEnd()}…`;
}

const negation =
  /(?<!지체\s?)없(?=[다는을이으음습었거게고지])|아니(?=[하한할함됨되된될며고다,\s]|$)|아닌|아니\S|않|못(?=하|한|할|함|\s)|불가(?!항력)|금지|\b(?:not|no|never|neither|nor|without|cannot|prohibited)\b|n['’]t\b|\bunless\b|\bexcept\b/giu;

const roles =
  '임대인|임차인|매도인|매수인|발주자|발주처|도급인|수급인|하수급인|위탁자|수탁자|위임인|수임인|공급자|공급받는\\s?자|공급업자|구매자|판매자|제공자|이용자|사용자|근로자|회사|고객|가맹본부|가맹점사업자|대리점|양도인|양수인|대여자|차용인|채권자|채무자|보증인|라이선서|라이선시|소비자|작가|제작자|투자자|제3자';
const englishRoles =
  'Supplier|Buyer|Seller|Purchaser|Customer|Client|Vendor|Provider|Contractor|Subcontractor|Consultant|Licensor|Licensee|Lessor|Lessee|Landlord|Tenant|Employer|Employee|Company|Distributor|Manufacturer|Franchisor|Franchisee|Agent|Principal|Borrower|Lender|Guarantor|Investor|Disclosing Party|Receiving Party';
const endings = '에게서|에게|에서|으로|은|는|이|가|을|를|의|와|과|도|만|로';
const party = new RegExp(
  String.raw`(?<![가-힣])(?:${roles})(?=["”’']?(?:${endings})?(?![가-힣]))|(?<=["“'‘])[갑을병](?=["”'’])|(?<![\p{L}\p{N}"”’'」』)\]%])[갑을병](?=(?:${endings})(?![가-힣]))|\b(?:${englishRoles})s?\b`,
  'gu',
);
const anyParty = /당사자|쌍방|상대방|\b[Pp]art(?:y|ies)\b/u;

const notLaws = '방법|위법|적법|불법|편법|준거법|용법|공법|기법|문법|수법|해법|어법|관련법|관계법|상기법|동법';
const laws = new RegExp(
  [
    '「[^」]{1,60}」',
    String.raw`[가-힣]{2,12}법원(?:\s?[가-힣]{2,6}지원)?`,
    '[가-힣]{0,12}중재원',
    String.raw`(?<![가-힣])(?!(?:${notLaws})(?![가-힣]*법))[가-힣]{1,14}법(?=(?:에|을|의|과|와|은|이|상|,|\s|\.|$))`,
    String.raw`\blaws? of (?:the )?(?:(?:State|Commonwealth|Republic|Province|Kingdom) of )?[A-Z]\w+(?: [A-Z]\w+){0,3}`,
    String.raw`\bcourts? (?:of|in|located in|sitting in) (?:the )?(?:(?:State|County|City) of )?[A-Z]\w+(?: [A-Z]\w+){0,3}`,
    String.raw`\b[A-Z]\w+(?: [A-Z]\w+){0,3} (?:law|courts?|Act|Code)\b`,
    String.raw`\b(?:ICC|SIAC|KCAB|LCIA|AAA|JAMS|HKIAC|CIETAC|UNCITRAL|CISG)\b`,
    String.raw`\barbitrat(?:ion|or)|중재|소송`,
  ].join('|'),
  'gu',
);
const notLaw = new RegExp(`^(?:${notLaws})$`, 'u');

/** Words with the same meaning, by name. English words match as whole words only. */
const classes: Readonly<Record<'obligation' | 'deadline' | 'limit', readonly (readonly [name: string, words: RegExp])[]>> = {
  obligation: [
    // `shall pay` and `pays` are one duty
    ['may', /수\s?(?=있|없)|\b(?:may|MAY|can|cannot)\b(?! \d)|\b(?:is|are) (?:entitled|permitted) to\b|discretion|재량/gu],
    ['effort', /노력|\b(?:reasonable|best) (?:efforts|endeavou?rs)\b|\b(?:should|intends? to|aims? to)\b/giu],
  ],
  deadline: [
    ['within', /이내|안에|\b(?:within|(?:no|not) later than)\b/giu],
    ['before', /(?<!이)전까지|이전(?![하한할함된되될등비받])|\b(?:prior to|before|in advance)\b/giu],
    ['until', /(?<!전)까지|\b(?:until|by the end)\b/giu],
    ['after', /이후|\bafter\b/giu],
    ['at once', /즉시|지체\s?없이|\b(?:immediately|promptly|forthwith|without (?:undue )?delay)\b/giu],
  ],
  limit: [
    ['least', /이상|최소|하한|\b(?:at least|(?:no|not) less than|minimum)\b/giu],
    ['most', /이하|최대|상한|한도|\b(?:at most|up to|(?:no|not) more than|(?:not|never) exceed\w*|maximum)\b/giu],
    ['over', /초과|\b(?:more than|exceed(?:s|ing)?|in excess of|greater than)\b/giu],
    ['under', /미만|\b(?:less than|fewer than|below)\b/giu],
  ],
};

/** Returns a text's words on a topic, in normalized form. */
function signs(topic: Exclude<MaterialTopic, 'quality'>, text: string, renamed: ReadonlySet<string>): string {
  const normal = text.normalize('NFKC');
  if (topic === 'negation') return String(normal.match(negation)?.length ?? 0);
  if (topic === 'law') return lawsIn(normal).join(' ');
  if (topic === 'condition') return String(conditionsIn(normal));
  if (topic === 'party')
    return namesIn(normal, party)
      .filter((name) => !renamed.has(name))
      .join(' ');
  return classes[topic].flatMap(([name, words]) => Array.from(normal.matchAll(words), () => name)).join(' ');
}

const lawsIn = (text: string): readonly string[] => namesIn(text, laws).filter((name) => !notLaw.test(name));
const namesIn = (text: string, names: RegExp): readonly string[] =>
  [...new Set(Array.from(text.matchAll(names), ([name]) => name.replace(/\s+|s$/gu, '').toLowerCase()))].sort();
