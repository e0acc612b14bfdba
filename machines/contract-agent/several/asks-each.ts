import { askedWords } from 'agent-machines/contracts';

const documents = '(?:contract|agreement|lease|document|nda|licen[cs]e)s?';
const those = '(?:them|these|those|the|my|our|all)';
/** `all prior agreements` are not the contracts of the question. */
const kind = '(?: (?!prior|previous|other|earlier|existing|such)[a-z]+){0,2}?';
const english = new RegExp(
  [
    String.raw`\bwhich (?:one|ones)\b`,
    String.raw`\b(?:which|each|every one|all|any|some|how many) of ${those}(?: (?:the|my|our))?(?:${kind} ${documents}\b)?`,
    String.raw`\b(?:(?:in|for|of|under|by|across|with) )?(?:which|each|every|all|how many)(?: (?:the|my|our|these|those))?${kind} ${documents}\b`,
    String.raw`\b(?:in|for|of|under|by|across|with) (?:each|every|all)(?: one)?(?=\s*(?:[?.!,]|$))`,
    String.raw`\b(?:per|contract by|agreement by) (?:contract|agreement|lease)\b`,
  ].join('|'),
  'iu',
);
const particle = '(?:들)?(?:에서는|에서|에는|이|가|은|는|에|의|을|를|별로)?';
const korean = new RegExp(
  [
    String.raw`(?:어느|어떤|무슨)\s?(?:[가-힣]{1,8}\s?)?(?:계약서?|것|거|게|문서)${particle}(?![가-힣])`,
    String.raw`계약서?\s?(?:별|마다)(?:로|의)?`,
    String.raw`(?:각|각각의|모든|여러)\s?(?:[가-힣]{1,8}\s?)?(?:계약서?|문서)${particle}(?![가-힣])`,
    '각각',
    String.raw`(?:계약서?들|계약서?|이|그)\s?(?:중|가운데)에?서?(?:는)?\s(?:어느|어떤|무슨|몇)\s?(?:것|거|게|개|건|계약서?)?(?:이|가|은|는)?`,
    // `계약 중에 … 게 있어?`, but not `계약 중에 생긴 비용`
    String.raw`(?:계약서?들|계약서?|이|그)\s?(?:중|가운데)에?서?(?:는)?(?=\s.*(?:것|거|게|계약)(?:이|가|은|는|도)?\s?(?:있|뭐|무엇|어느|어떤))`,
    '계약서?들(?:에서는|에서|에는|이|가|은|는|에|의|을|를)?(?![가-힣])',
    String.raw`몇\s?(?:개|건)의?\s?계약서?${particle}(?![가-힣])`,
    String.raw`계약서?(?:이|가|은|는)?\s?몇\s?(?:개|건)`,
    String.raw`계약서?(?:은|는|이|가)\s?(?:어느|어떤|무슨|무엇|뭐)(?:\s?(?:것|거|게|계약))?(?:이야|인가요|인가|입니까|이에요|예요|야|지|죠)?`,
    String.raw`(?<=[는은한인된할될]\s)계약서?(?:이|가|은|는|도)?\s?(?:있(?:어|나|는|습)[가-힣]{0,3}|(?=[?？]|$))`,
  ].join('|'),
  'u',
);

/** True if a question asks each of several contracts: `Which of them renew automatically?`, `계약별 해지 통지 기간은?` */
export const asksEach = (question: string): boolean => {
  const text = question.normalize('NFKC');
  return english.test(text) || korean.test(text);
};

/** The question without the words that ask each contract: `Which of them renew automatically?` leaves `renew automatically?` */
export function withoutEach(question: string): string {
  const text = question.normalize('NFKC');
  const rest = text.replace(english, ' ').replace(korean, ' ').replace(/\s+/gu, ' ').trim();
  return askedWords(rest).length === 0 ? text : rest;
}

/** True if a question asks for the list of the contracts: `Which contracts are there?`, `계약이 몇 개야?` */
export const asksForCatalogue = (question: string): boolean =>
  /^\W*(?:which|what|how many|list|show)\s(?:me\s)?(?:all\s)?(?:of\s)?(?:the\s|my\s|our\s)?(?:contracts?|agreements?|documents?)(?:\s(?:are|do)\s(?:there|you have|we have|i have|you know|loaded))?\W*$/iu.test(
    question,
  ) ||
  /^\s*(?:(?:어떤|무슨)\s?계약서?(?:들)?(?:이|가)?\s?있|계약서?\s?(?:들\s?)?(?:목록|리스트)|계약서?(?:이|가|은|는)?\s?(?:모두\s|전부\s)?몇\s?(?:개|건)\s?(?:이?야|있|인|이에요|예요|입니까|\?|$))/u.test(
    question,
  );

const asksForValue =
  /\b(?:what|how (?:long|much|soon|often|far|high)|how many (?:days|months|weeks|years)|when|where|who|whose|longest|shortest|highest|lowest)\b|언제|얼마|며칠|어디|누구|누가|무엇|뭐|어떻게|(?:기간|기한|금액|이율|비율|한도)(?:이|은|는)?\s?(?:[?？]|$|얼마|어떻게|각각)|(?:알려|말해|보여|정리|나열)|\b(?:list|show|name)\b|가장|제일|몇\s?(?:일|달|개월|년|주|퍼센트|%|회|번|시간|원)/iu;

/** True for a question that yes or no answers. */
export const isYesNo = (question: string): boolean => !asksForValue.test(question.normalize('NFKC').trim());
