const koreanWork =
  /번역|교정|교열|첨삭|윤문|영작|맞춤법|띄어쓰기|철자|오타|문법|받침|다듬|고쳐|바꿔|옮겨|존댓말|반말|[가-힣]{1,4}어로\s|요약|정리/u;
const koreanOrder =
  /(?:(?:[가-힣]\s?|^)(?:줘요?|주라|줄래요?|줄게요?|주세요|주십시오|주시겠\S*|주실\S*|줄\s수\s[있없]\S*|주실\s수\s[있없]\S*)|부탁\S*|봐|[하해써]라|고쳐|바꿔|옮겨|다듬어|(?:번역|교정|교열|영작|첨삭|요약|수정)(?:해|\s?좀)?|(?:확인|체크)(?:\s?좀|해))$/u;
/** `저는 영어로 일해` states something. */
const koreanSubject = /(?:^|\s)(?:나는|난|저는|전|제가|내가|우리는|저희는)\s/u;

const polite = '^(?:(?:please|hey|now|and|then|also|can you|could you|would you|will you|help me(?: to)?|i (?:need|want) you to)[, ]+)*';
const language =
  '(?:(?:more|proper|natural|formal|plain|simple|better)\\s)*(?:[a-z]+(?:ish|ese|ian|ean|rman|utch)|french|arabic|hindi|thai|greek|formal|natural)';
const englishOrders = [
  `${polite}(?:translate|proofread|rewrite|rephrase|reword|paraphrase|polish|spell-?\\s?check|summari[sz]e)\\b`,
  `${polite}(?:fix|correct|improve|edit|shorten|simplify|check|clean up)\\b.{0,30}\\b(?:this|that|it|email|essay|letter|${language})\\b`,
  `${polite}(?:put|turn|convert|render|make|write|say|change)\\s.{1,120}\\b(?:in|into|to|more|sound)\\s${language}\\b`,
  `${polite}(?!i\\b|my\\b|our\\b|the\\b)[a-z]+\\b.{0,40}\\b(?:spelling|grammar|typos?|punctuation|misspell\\w*|sentences?|paragraphs?|wording)\\b`,
  `^how (?:do|would|can|should) (?:you|i|we) say\\b.{1,120}\\bin ${language}\\b`,
].map((order) => new RegExp(order, 'iu'));

/** Behind the colon of such a label is the text: `일본어로:`, `맞춤법 교정:`, `grammar check:`. */
const label = new RegExp(
  `(?:번역|교정|교열|첨삭|영작|검사|수정|[가-힣]{1,4}어로|\\bin ${language}|\\b(?:check|translation|correction|proofreading))$`,
  'iu',
);
/** Behind the colon of an order is what it is about, unless the order is to keep that. */
const koreanKeep = /기억|알아|메모|저장|적어|기록|잊지|등록|추가|불러/u;

/** Longer ones are no orders. */
const maxOrderChars = 300;
/** The order stands before this place. */
const maxHeadChars = 400;
const maxMessageChars = 2_000;

const ordersWork = (sentence: string): boolean => {
  if (sentence.length > maxOrderChars) return false;
  const text = sentence.replace(/[\s.,!?~:："'”’]+$/u, '').trim();
  const isKorean = koreanWork.test(text) && koreanOrder.test(text.slice(-30)) && !koreanSubject.test(text);
  return isKorean || englishOrders.some((order) => order.test(text));
};

/** A text to summarize may be a document. */
const summary = /요약|정리|\bsummar/iu;
const sentenceEnd = /(?<=[.!?。])\s+|\n+/u;
const pointer =
  /(?:이|위|앞|저|아래|다음)(?:의)?\s?(?:문장|글|말|표현|문구|문단|단락|내용)|\b(?:this|that|it)(?=\s*$|[\s]*[.!?]|\s(?:in|into|to|for|as|more|sound|please)\b)|\b(?:sentence|paragraph|text|above|below|following)\b/iu;

/**
 * A message without the text that it orders work on: a translation, a correction, a summary. That text states nothing about its sender.
 * It stands behind a colon, a question mark or a line's end, or is pointed at.
 *
 * @example withoutMaterial('Fix my spelling: I lives in Rome') // 'Fix my spelling'
 */
export function withoutMaterial(message: string): string {
  for (const { index, 0: mark } of message.slice(0, maxHeadChars).matchAll(/[:：](?!\d)|[?？]\s|\n/gu)) {
    const head = message.slice(0, index);
    const sentence = head.split(sentenceEnd).at(-1)?.trim() ?? '';
    const isLabel = /[:：]/.test(mark) && !koreanKeep.test(sentence) && (label.test(sentence) || koreanOrder.test(sentence.slice(-30)));
    const asksForFaults = /[?？]/.test(mark) && /맞춤법|띄어쓰기|철자|오타|문법/u.test(sentence);
    const isBrought = /[:：]/.test(mark) || !summary.test(sentence) || pointer.test(sentence);
    if ((ordersWork(sentence) && isBrought) || isLabel || asksForFaults) return head;
  }
  if (!pointer.test(message)) return message;
  return message.split(sentenceEnd).find((sentence) => pointer.test(sentence) && ordersWork(sentence)) ?? message;
}

/** True when a message orders a translation, a correction or other words for a text. An order to summarise what stands elsewhere is none of these. */
export function isTextRequest(message: string): boolean {
  if (message.length > maxMessageChars) return false;
  const order = withoutMaterial(message);
  return order.length < message.length || order.split(sentenceEnd).some((sentence) => ordersWork(sentence) && !summary.test(sentence));
}
