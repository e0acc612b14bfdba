/** A duty to leave something undone: a plain prohibition of the act is the duty itself. */
export interface NegativeDuty {
  /** Words of a question for the duty. */
  readonly asked: RegExp;
  /** The act is forbidden, by one denial. */
  readonly forbids: RegExp;
  /** The duty is stated without a denial. */
  readonly states: RegExp;
}

const mayNot = String.raw`(?:(?:shall|may|must|will|can) not|cannot|(?:[Nn]either|[Nn]o) party (?:shall|may|must|will|can)|(?:agrees?|undertakes?|covenants?|promises?) not to)(?: (?!be\b|have\b)\w+ly)?`;
const deniedEnd = String.raw`하(?:지|여서는|지는)\s?(?:아니|안|않|못)|해서는\s?(?:아니|안)|할\s?수\s?없`;
const english = (act: string): string => String.raw`\b${mayNot} (?:(?:directly|indirectly|or) )*${act}`;
const others = String.raw`(?:from|for|of|to|any|with) (?:an|any )?other (?:person|party|supplier|client|customer|company|firm|maker|manufacturer|mill|distributor|agent|provider|vendor|source|dealer|employer|producer)s?\b|\banother (?:person|party|supplier|client|customer|company|firm|maker|distributor|agent|provider)\b|\banyone else\b|\belsewhere\b`;
const people = '(?:staff|employees?|personnel|workers?|customers?|clients?)';
const owner = String.raw`(?:(?:the )?[A-Z]\w+|(?:the )?other(?: party)?|either party)`;

export const negativeDuties: readonly NegativeDuty[] = [
  {
    asked: /confidential|non-?disclosure|secrecy|비밀|기밀/iu,
    forbids: new RegExp(
      `${english(String.raw`(?:disclose|divulge|reveal|publish|disseminate)\b (?:(?:the|any|its|their|all|such|other|party['’]s|[A-Z]\w+['’]s) )*(?:[Cc]onfidential|[Ss]ecret|[Tt]rade secrets?|[Pp]roprietary)`)}|(?:비밀|기밀)[^.]*(?:누설|공개|유출|제공|발설|개시)(?:${deniedEnd})`,
      'u',
    ),
    states:
      /\b(?:shall|must|will|agrees? to|undertakes? to) (?:\w+ly )?(?:keep|hold|treat|maintain) (?:[\w'’]+ ){1,9}?(?:strictly |as |in )*(?:confidential|secret|confidence)\b(?=\W*$|\W+(?:for|during|after|and|at all times)\b)|\b(?:shall|must|will) (?:maintain|preserve|protect) (?:the )?confidentiality of\b|\bbound by (?:an? |the )?(?:duty|obligation) of (?:confidentiality|secrecy)|(?:비밀|기밀)(?:정보)?[을를]?\s?(?:[가-힣]+\s){0,2}?(?:유지|준수|보호|엄수|지켜).*(?:야\s?한다|한다|진다|부담한다)/iu,
  },
  {
    asked: /non-?compet|not to compete|경업\s?(?:금지|제한)|경쟁\s?(?:금지|제한)/iu,
    forbids: new RegExp(
      `${english(String.raw`compete(?: (?:with|against) ${owner})?(?: in any (?:way|manner))?(?: (?:for|during|within|throughout) .*)?\W*$`)}|(?:경업|경쟁(?!입찰|력)|동종).*?(?:\\s|영위|종사|운영|경영|경쟁|경업|취업)(?:${deniedEnd})`,
      'u',
    ),
    states: /\bbound by (?:an? |the )?NEGATIVE\b|NEGATIVE (?:의무를 )?(?:부담한다|진다|준수한다)/u,
  },
  {
    asked: /\bexclusiv(?!\w* (?:jurisdiction|licen|remed))|독점|전속(?!\s?관할)/iu,
    forbids: new RegExp(
      `${english(String.raw`(?:(?:buy|purchase|order|source|obtain|work|act|engage|appoint|(?:perform|render|provide) services)\b.*(?:${others})|sell\b.* of (?:all |any )?other \w+)`)}|(?:다른|제3)\\s?(?:사람|업체|회사|자|공급자|거래처)[^.]*(?:구매|매입|판매|거래|공급받)(?:${deniedEnd})`,
      'u',
    ),
    states:
      /\bis (?:the|an) exclusive (?:supplier|distributor|agent|dealer|provider)\b|\bon an exclusive basis\b|\b(?:shall|will|must) (?:buy|purchase|sell|supply|work|act) (?:\w+ ){0,3}?exclusively (?:from|for|to|with|through)\b|(?:독점|전속)(?:적으로|으로)\s?(?:공급|판매|대리|구매)[가-힣]*한다/iu,
  },
  {
    asked: /non-?solicit|poach|(?:유인|채용|고용|스카우트|권유)\s?금지/iu,
    forbids: new RegExp(
      `${english(String.raw`(?:solicit|poach|entice|recruit|hire)(?: (?:away|or|any|the|\w+ing))* (?:${people} of ${owner}\b|(?:the )?(?:[A-Z]\w+|other party)['’]s ${people})`)}|의\\s?(?:임?직원|근로자|종업원|인력|고객)[을를]\\s?[^.]*(?:유인|채용|고용|스카우트|권유)(?:${deniedEnd})`,
      'u',
    ),
    states: /\bbound by (?:an? |the )?NEGATIVE\b|NEGATIVE (?:의무를 )?(?:부담한다|진다|준수한다)/u,
  },
];

const nouns =
  /\bnon-?(?:compet\w*|solicit\w*|disclos\w*|poach\w*)|\b(?:covenant )?not to compete\b|(?:경업|경쟁|유인|채용|고용|스카우트|권유)\s?(?:금지|제한)/giu;

/** Replaces the names of negative duties, whose `non-` and `금지` deny nothing. */
export const withoutDutyNouns = (text: string): string => text.replace(nouns, 'NEGATIVE');
