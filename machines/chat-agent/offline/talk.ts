import { extractFacts } from 'agent-machines/memory';
import { answerSmallTalk, modestAnswer, smallTalkWords } from 'agent-machines/models';
import { isTextRequest } from 'agent-machines/search';
import { isOrder, isQuestion, isStatement } from './sentence-kinds.ts';

const startsWith = (words: string): RegExp => new RegExp(`^(?:${words})`, 'iu');
const greeting = startsWith(smallTalkWords.greeting);
const thanks = startsWith(`(?:정말\\s|너무\\s)?(?:${smallTalkWords.thanks})`);
const farewell = startsWith(smallTalkWords.farewell);
const noise = startsWith(`(?:${smallTalkWords.laughter})[!~.\\sㅋㅎㅠㅜ]*$|(?:${smallTalkWords.yesOrNo})[!~.\\s]*$`);
/** True if the message needs neither documents nor tools: `안녕하세요`, but not `안녕하세요, 연차는 며칠이야?`. */
export function isSmallTalk(input: string): boolean {
  const text = input.trim();
  if (noise.test(text) || answerSmallTalk(text) !== undefined) return true;
  if (text.length > 40 || !(greeting.test(text) || thanks.test(text) || farewell.test(text))) return false;
  const rest = text.replace(/^\S+\s*/, '');
  return !/\d/.test(rest) && (rest.length < 3 || !(isQuestion(rest) || isOrder(rest)));
}

/** Answers without documents, tools and memory: with small talk, a promise to remember, or a note that a language model is needed. */
export function talk(input: string, korean: boolean): string {
  const text = input.trim();
  const say = (inKorean: string, inEnglish: string): string => (korean ? inKorean : inEnglish);
  const said = extractFacts([{ id: 'now', message: { role: 'user', content: input } }]).map(({ text }) => `“${text}”`);
  if (said.length > 0) return say(`네, 기억하겠습니다: ${said.join(', ')}`, `I will remember: ${said.join(', ')}`);
  const answer = answerSmallTalk(text, korean);
  if (answer !== undefined) return answer;
  if (isSmallTalk(text)) {
    if (thanks.test(text)) return say('별말씀을요! 더 필요한 것이 있으면 말씀해 주세요.', 'You are welcome!');
    if (farewell.test(text)) return say('안녕히 가세요!', 'Goodbye!');
    if (noise.test(text)) return say('네!', 'All right!');
    return say(
      '안녕하세요! 문서에서 찾기, 계산, 날짜와 시각, 그리고 이 대화에서 하신 말씀을 기억하는 일을 도와드립니다.',
      'Hello! I look things up in documents, calculate, tell date and time, and remember what you say here.',
    );
  }
  return isStatement(text) && !isOrder(text) && !isQuestion(text) && !isTextRequest(text)
    ? say('네, 알겠습니다.', 'All right.')
    : modestAnswer({ korean });
}
