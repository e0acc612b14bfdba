import { answerSmallTalk, readNeeds, smallTalkWords } from 'agent-machines/models';
import { splitSentences } from 'agent-machines/search';

/** A request for more: `더 있어?`, `what else?` */
export const isFollowUp = (question: string): boolean =>
  question.trim().length <= 40 &&
  /^(?:(?:더|또)(?=$|[\s?!.]|있|없|알려|보여|찾아|줘)|그 ?(?:외|밖)|다른 ?(?:건|것|거|곳|데)|나머지|계속|more\b|any(?:thing)? (?:more|else)|what else|others?\b|another\b|continue\b|go on\b)/i.test(
    question.trim(),
  );

/** A question about the last answer: `무슨 말이야?`, `what do you mean?` */
export const isClarification = (question: string): boolean =>
  question.trim().length <= 60 &&
  /무슨 (?:말|뜻|소리|의미)|이해가 (?:안|잘)|예시|예를 들|다시 설명|쉽게 설명|what do you mean|(?:give|show) (?:me )?an example|for example\?|explain (?:that|it)\b|rephrase/i.test(
    question,
  );

const { greeting, thanks, farewell, laughter, yesOrNo } = smallTalkWords;
const chitchat = new RegExp(
  `^(?:${greeting}|${thanks}|${farewell}|${laughter}|ㅇㅋ|오케이|넵|ok(?:ay)?\\b|(?:${yesOrNo})[!~.\\s]*$)`,
  'iu',
);

/** Small talk: `고마워!`, `hello`, `ㅋㅋ` */
export const isChitchat = (question: string): boolean =>
  answerSmallTalk(question) !== undefined ||
  (question.trim().length <= 40 && chitchat.test(question.trim()) && readNeeds(question).length === 0);

/** Splits a long text from a leading order, if it has one. `undefined` for short texts and questions. */
export function readContent(text: string): { readonly content: string; readonly order: string } | undefined {
  const trimmed = text.trim();
  const [first = '', ...rest] = trimmed.split(/\n+|:\s+/);
  const body = trimmed.slice(trimmed.indexOf(rest[0] ?? '\u0000')).trim();
  const isOrder =
    rest.length > 0 &&
    first.length <= 60 &&
    /해\s?(?:줘|주세요|봐)|요약|번역|정리|설명|summar|translat|explain|fix|review|analy[sz]e/i.test(first);
  if (isOrder && body.length >= 60) return { content: body, order: first };
  const isJson = /^[[{]/.test(trimmed) && /[\]}]$/.test(trimmed) && trimmed.length >= 60;
  const looksLikeCode = /[{};]\s*\n|^[ \t]*(?:import|function|const|def|class)\s/m.test(trimmed) && trimmed.length >= 80;
  const asks = /[?？]\s*$|(?:해\s?줘|주세요|알려줘|찾아줘)[.!~]*\s*$/.test(trimmed);
  const isLong = trimmed.length >= 200 || (trimmed.length >= 100 && splitSentences(trimmed).length >= 3);
  return (isLong && !asks) || looksLikeCode || isJson ? { content: trimmed, order: '' } : undefined;
}
