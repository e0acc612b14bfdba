/** Words that exclude each other, in groups: a name for each alternative, and its words. Words of one alternative mean the same. */
const groups: readonly Readonly<Record<string, RegExp>>[] = [
  {
    free: /무상|무료|무보수|\bfree of charge\b|\bat no (?:charge|cost)\b/giu,
    paid: /유상|유료|\b(?:for a fee|at a charge|chargeable)\b/giu,
  },
  {
    pass: /(?<!불)합격|(?<!부)적합|\b(?:pass(?:es|ed)?|conform(?:s|ing)?)\b/giu,
    fail: /불합격|부적합|\b(?:fail(?:s|ed)?|non-?conforming)\b/giu,
  },
  {
    consent: /동의|승낙|승인|허락|허가|\b(?:consent|approv\w+|permission)\b/giu,
    notice: /통지|통보|고지|알[리려린림릴]|\b(?:notices?|notif\w+|inform\w*)\b/giu,
    agreement: /협의|상의|의논|합의|\bconsult\w*\b/giu,
    automatic: /자동(?:으로|적으로|갱신|연장)|\bautomatic(?:ally)?\b/giu,
  },
  { exclusive: /(?<!비)독점|전속|(?<!\bnon-?)\bexclusive(?:ly)?\b(?! of)/giu, shared: /비독점|\bnon-?exclusive(?:ly)?\b/giu },
  { revocable: /\brevocabl[ey]\b/giu, irrevocable: /\birrevocabl[ey]\b|철회할 수 없/giu },
  { refundable: /(?<!\bnon-?)\brefundable\b/giu, kept: /\bnon-?refundable\b/giu },
  { binding: /(?<!\bnon-?)\bbinding\b/giu, advisory: /\bnon-?binding\b/giu },
  { transferable: /(?<!\bnon-?)\b(?:transferable|assignable)\b/giu, own: /\bnon-?(?:transferable|assignable)\b/giu },
  { cancellable: /(?<!\bnon-?)\bcancell?able\b/giu, firm: /\bnon-?cancell?able\b/giu },
  {
    written: /서면|문서로|\b(?:in writing|written)\b/giu,
    oral: /구두|구술|\b(?:oral(?:ly)?|verbal(?:ly)?)\b/giu,
    mail: /전자\s?우편|이메일|\be-?mail\b/giu,
  },
  {
    whole: /전액|전부|모두|모든|일체|전체|\b(?:all|any|every|entire|full|whole)\b/giu,
    part: /일부|부분|\b(?:some|certain|part|partial(?:ly)?)\b/giu,
  },
  {
    'gross negligence': /중대한?\s?과실|중과실|\bgross(?:ly)? negligen\w+\b/giu,
    negligence: /(?<!중대한?\s?|중|무)과실|(?<!\bgross(?:ly)? )\bnegligen\w+\b/giu,
    'no fault': /무과실|\bstrict(?:ly)? liab\w+\b/giu,
  },
  { joint: /연대|\bjoint(?:ly)?\b/giu, several: /각자|분할|\bseverally\b/giu },
  {
    including: /포함|\b(?:inclusive of|includ(?:es?|ed|ing))\b/giu,
    excluding: /별도|제외|불포함|\b(?:exclusive of|exclud(?:es?|ed|ing))\b/giu,
  },
  { 'in advance': /선급|선불|선납|\bin advance\b|\bprepa(?:y|id)\w*\b/giu, 'in arrears': /후급|후불|후납|\bin arrears\b/giu },
  { sent: /발송|발신|\b(?:dispatch|sent|mailing|mailed)\b/giu, received: /도달|도착|수령|수신|\b(?:receipt|received)\b/giu },
  {
    day: /매일|일일|\b(?:daily|per day|each day)\b/giu,
    week: /매주|주마다|\b(?:weekly|per week|each week)\b/giu,
    month: /매월|매달|월마다|달마다|\b(?:monthly|per month|each month)\b/giu,
    quarter: /분기|\bquarter(?:ly)?\b/giu,
    year: /매년|해마다|연마다|\b(?:annual(?:ly)?|yearly|per (?:year|annum)|each year)\b/giu,
  },
  { business: /영업일|근무일|\b(?:business|working) days?\b/giu, calendar: /달력일|역일|\bcalendar days?\b/giu },
  {
    delivery: /인도|납품|교부|\bdeliver(?:y|ies|ed|s)?\b/giu,
    installation: /설치|\binstall(?:ation|ed)\b/giu,
    inspection: /검수|검사|\b(?:inspection|inspected|acceptance)\b/giu,
    signing: /서명|체결|날인|\b(?:sign(?:ing|ature|ed)|execution)\b/giu,
    shipment: /선적|출하|\b(?:shipment|shipped|shipping)\b/giu,
    invoice: /청구|\binvoic\w+\b/giu,
  },
  { 'before it': /사전|미리|\bprior\b|\bbeforehand\b/giu, 'after it': /사후|\bafterwards\b|\bsubsequent(?:ly)?\b/giu },
  {
    'ordinary damage': /통상\s?손해|(?<!in)\bdirect (?:damages?|loss\w*)\b/giu,
    'special damage': /특별\s?손해|\b(?:indirect|consequential|special) (?:damages?|loss\w*)\b/giu,
  },
  { survives: /존속|유효|\b(?:surviv\w+|continu\w+)\b/giu, ends: /소멸|실효|무효|\b(?:expires?|ceases?|lapses?|void)\b/giu },
  { fixed: /고정|확정|\bfixed\b/giu, variable: /변동|가변|\b(?:variable|adjustable|floating)\b/giu },
  { terminate: /해지/gu, rescind: /해제/gu, cancel: /취소/gu },
  { damages: /배상/gu, compensation: /보상/gu },
  { counted: /(?<!불)산입/gu, uncounted: /불산입/gu },
  { possible: /(?<!불)가능/gu, impossible: /불가능/gu },
  { directly: /직접|(?<!in)\bdirect(?:ly)?\b/giu, indirectly: /간접|\bindirect(?:ly)?\b/giu },
  { alone: /단독|\b(?:sole|alone)\b/giu, together: /공동|\bjoint(?:ly)?\b/giu },
  { domestic: /국내|\bdomestic\b/giu, abroad: /국외|해외|\b(?:foreign|overseas|international)\b/giu },
  { first: /최초|처음|\b(?:first|initial)\b/giu, last: /마지막|최종|\b(?:last|final)\b/giu },
  {
    gross: /총액|총매출|세전|\bgross (?:revenue|sales|amount|receipts)\b/giu,
    net: /순액|순매출|세후|\bnet (?:revenue|sales|amount|receipts)\b/giu,
  },
  { mandatory: /필수|의무적|\bmandatory\b/giu, optional: /선택|임의로|\boptional\b/giu },
  { best: /\bbest (?:efforts|endeavou?rs)\b/giu, reasonable: /\breasonable (?:efforts|endeavou?rs)\b/giu },
];

/** Words that limit a rule: their coming or going changes it. */
const qualifiers =
  /\bmaterial(?:ly)?\b(?= (?:breach|default|adverse|change|obligation|respect|term))|\bsubstantial(?:ly)?\b|\bwil+ful(?:ly)?\b|\bknowing(?:ly)?\b|\breasonabl[ey]\b|\bunreasonably\b|\b(?:only|solely)\b|\bperpetual(?:ly)?\b|\bworldwide\b|고의|중대한|합리적|정당한|현저히|영구/giu;

const conditions =
  /다만|단서|(?<![가-힣])단(?=,)|제외|경우에\s?(?:한|만)|한하여|한정하여|\b(?:except|unless|provided|if|where|when|while|in the event|(?<!except )in case|notwithstanding|subject to|in lieu of|to the extent)\b/giu;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** True if two texts have different alternatives of a group, or one of them lacks a limiting word of the other. */
export const differInQuality = (one: string, other: string): boolean =>
  groups.some((group) => {
    const [ones, others] = [alternatives(one, group), alternatives(other, group)];
    // `gives` for `delivers` is no opposite: both texts must name one
    return ones !== '' && others !== '' && ones !== others;
  }) || count(one, qualifiers) !== count(other, qualifiers);

const alternatives = (text: string, group: Readonly<Record<string, RegExp>>): string =>
  Object.entries(group)
    .flatMap(([name, words]) => (count(text, words) > 0 ? [name] : []))
    .join(' ');

/** Returns the number of words in a text that begin a condition or an exception. */
export const conditionsIn = (text: string): number => count(text, conditions);
