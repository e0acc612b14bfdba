import { smallTalkWords } from 'agent-machines/models';
import { mentionsArticle } from './mentions.ts';
import { hasContractWord, hasForeignWord } from './words.ts';

/** Verdict of the rules on a question; `inScope` is absent if no rule decides. */
export interface ScopeByRule {
  readonly inScope?: boolean;
  readonly reason: string;
}

const { greeting, thanks, laughter } = smallTalkWords;
/** Other replies and farewells may introduce a question, so only these words count as small talk. */
const others = '잘\\s?가|좋은\\s?밤|ㅇㅋ|오케이|넵|네|응|그래|알겠|알았|bye|good night|ok(?:ay)?|great|got it';
const chat = new RegExp(
  `^(?:${greeting}|${thanks}|[ㅋㅎㅠㅜ]+|${laughter}|${others})(?=$|[!\\s.,~?]|[가-힣ㅋㅎㅠ]{0,6}[!\\s.,~?]*$)`,
  'iu',
);
const maxChatChars = 30;

/** Small talk: `고마워!`, `안녕하세요`, `thanks` */
export const isSmallTalk = (question: string): boolean => {
  const trimmed = question.trim();
  return (
    trimmed.length <= maxChatChars &&
    chat.test(trimmed) &&
    !hasContractWord(trimmed) &&
    !mentionsArticle(trimmed) &&
    !/[?？]\s*$/.test(trimmed)
  );
};

/** `그`, but not `그룹`, `그림`, `프로그램`; `이전 답변`, but not the `이전` of a transfer. */
const backReferences: readonly RegExp[] = [
  /(?:^|\s)(?:그|저)(?=\s+(?!외\s*의?\s*$)[가-힣])/u,
  /(?:^|\s)(?:그|저)(?:것|거|게|건|걸|들|중|쪽|때|런|곳)(?:들|은|는|이|가|을|를|도|만|의|에|에서|로|랑|과|와|대로|까지|부터)*(?=$|[\s?!.,])/u,
  /(?:^|\s)(?:그럼|그러면|그렇다면|그렇게|그래서|그러니까)(?=$|[\s?!.,])/u,
  /(?:^|\s)(?:방금|아까|앞서|조금\s?전|좀\s?전)(?:에|의)?(?=$|[\s?!.,])/u,
  /(?:^|\s)(?:위|앞|이전|직전|지난|저번)(?:의|에서)?\s*(?:답변|답|질문|대화|말|설명|내용|조항|항목|조문)/u,
  /(?:^|\s)(?:이|해당|같은|동일한?)\s*(?:조항|항목|조문|내용|부분|답변|참조항목)/u,
  /(?:말한|말씀하신|얘기한|이야기한|언급한|알려준|보여준|설명한|답한)\s*(?:것|거|대로|조항|항목|내용|부분)/u,
  /(?:^|\s)(?:다시|더)\s*(?:쉽게|짧게|간단히|자세히|정리|요약|설명)/u,
  /\b(?:that|those|these|the same|this)\s+(?:articles?|clauses?|sections?|points?|items?|answers?|ones?|part|provisions?)\b/iu,
  /\b(?:you (?:just )?(?:said|mentioned|listed|told|showed)|(?:previous|last|earlier) (?:answer|question|turn)|as (?:you )?mentioned)\b/iu,
  /\b(?:explain|summari[sz]e|rephrase|repeat|shorten|translate|list)\s+(?:it|that|them|those|these)\b/iu,
  /^(?:and|then|so)\b.*\b(?:it|that|them|those)\b/iu,
];

/** True if the question refers to the last turn. False leaves it open. */
export const refersBack = (question: string): boolean => {
  const normal = question.normalize('NFKC');
  return backReferences.some((pattern) => pattern.test(normal));
};

/** `강아지를 키워도 되나요?`: a contract may settle permission for anything. */
const asksLeave = /[가-힣](?:도|면)\s?(?:안\s?)?(?:돼|되나|되는|되죠|될까|됩니까)/u;

/** Decides without a model if possible. Matches whole words only. `contract` is the contract's text. */
export function scopeByRule(question: string, hasPreviousTurn: boolean, contract = ''): ScopeByRule {
  if (mentionsArticle(question)) return { inScope: true, reason: 'names an article' };
  if (isSmallTalk(question)) return { inScope: true, reason: 'small talk' };
  if (hasContractWord(question)) return { inScope: true, reason: 'has a word of contracts' };
  if (hasForeignWord(question, contract) && !asksLeave.test(question))
    return { inScope: false, reason: 'is about something that no contract knows' };
  if (hasPreviousTurn && refersBack(question)) return { inScope: true, reason: 'speaks of the last answer' };
  return { reason: 'no rule decides' };
}
