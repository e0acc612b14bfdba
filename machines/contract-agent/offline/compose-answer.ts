import { confirmValue } from 'agent-machines/contracts';
import { sharedTokens, smallTalkWords } from 'agent-machines/models';
import { answersInKorean, contentWords, cutAtSentence, searchTokens } from 'agent-machines/search';
import type { ContractAgentRuleInputs } from '../rule-inputs.ts';
import { describeNearest, describeSilence } from '../rules/describe-verdict.ts';
import { questionCoverage } from '../rules/question-coverage.ts';
import { isSmallTalk } from '../rules/scope.ts';
import { verdictOf } from '../rules/verdict.ts';
import type { CollectedArticle, ExceptionFound, Finding, WordingPassage } from '../state.ts';
import { nameOf } from '../tools/found-articles.ts';
import { answerFacts } from './answer-facts.ts';
import { composeSeveral } from './compose-several.ts';
import { fullQuestion, lacksLastTurn, wantsComparison } from './question.ts';

type AnswerInput = ContractAgentRuleInputs['contract_agent.generate_response'];

/** Answers by quoting the articles that were read. Names what the contract does not contain. */
export function composeAnswer(ruleInput: AnswerInput): string {
  const { input, collectedInfo, findings, hasStandard, needPreviousContext, toolHistory, facts, factLabels } = ruleInput;
  const korean = answersInKorean(input);
  if (ruleInput.several.length > 0) return composeSeveral(ruleInput, talk);
  if (isSmallTalk(input)) return talk(input, korean);
  if (wantsComparison(ruleInput)) return hasStandard ? describeComparison(ruleInput, korean) : noStandard(korean);
  if (lacksLastTurn(ruleInput) || (toolHistory.length === 0 && needPreviousContext)) return describeLastTurn(ruleInput, korean);
  const listed = findings.filter(({ kind }) => kind === 'listed');
  if (listed.length > 0) return describeList(listed);
  const confirmed = confirmOrDeny(ruleInput, korean);
  if (confirmed !== undefined) return confirmed;
  const fact = answerFacts(input, facts, (id) => factLabels[id] ?? id);
  const isPlaceAsked = collectedInfo.some(({ via }) => via === 'get_article_by_index');
  if (fact !== undefined && !isPlaceAsked) return [fact, ...exceptionsTo(wholly(collectedInfo), ruleInput, korean)].join('\n\n');
  const searched = collectedInfo.filter(({ via }) => via === 'hybrid_search' || via === 'wording');
  const looked = collectedInfo.filter((article) => !searched.includes(article) && article.via !== 'exception');
  const shown = [...betterThanTitled(looked, searched, input), ...looked];
  const parts = [...describeMissing(ruleInput, korean), ...shown.map((article) => quoteWhole(article, korean))];
  const others = searched.filter((article) => !shown.includes(article));
  if (parts.length > 0) {
    const lead = ruleInput.wording !== null && verdictOf(ruleInput) === 'nearest' ? [describeNearest(looked[0], korean)] : [];
    return [...lead, ...parts, ...exceptionsTo(wholly(shown), ruleInput, korean), ...alsoSee(looked, others, input, korean)].join('\n\n');
  }
  return describeSearch(ruleInput, searched, korean);
}

/** Answers `월세는 250만원이지?` with yes or no and the passage; `undefined` if the question states no value, or the contract none for it. */
function confirmOrDeny(ruleInput: AnswerInput, korean: boolean): string | undefined {
  const { input, wording, collectedInfo } = ruleInput;
  const read = collectedInfo.filter(({ side, deleted }) => side === 'user' && !deleted);
  const confirmed = confirmValue(input, wording?.passages ?? []) ?? confirmValue(input, read);
  if (confirmed === undefined) return undefined;
  const { isRight, value, source } = confirmed;
  const [yes, no] = korean ? [`네, ${value}입니다.`, `아니요, ${value}입니다.`] : [`Yes: ${value}.`, `No: ${value}.`];
  const passage = quoteBelow(nameOf(source), cutAtSentence(source.text, maxWholeChars), korean);
  return [isRight ? yes : no, passage, ...exceptionsTo(wholly(read.filter(({ label }) => label === source.label)), ruleInput, korean)].join(
    '\n\n',
  );
}

/**
 * Returns the first search hit if it covers more of the question than the titled articles. Example: `납품이 늦으면?` contains the title of
 * 제13조(납품), but 제15조(납품의 지연) answers it.
 */
function betterThanTitled(
  looked: readonly CollectedArticle[],
  searched: readonly CollectedArticle[],
  question: string,
): readonly CollectedArticle[] {
  const [best] = searched.filter(({ deleted }) => !deleted);
  if (!best || looked.length === 0 || looked.some(({ via }) => via !== 'get_article_by_title')) return [];
  const share = Math.max(...looked.map((article) => coverage(question, article)));
  return coverage(question, best) > share ? [best] : [];
}

const maxWholeChars = 2_000;
const maxExcerptChars = 700;

function quoteWhole(article: CollectedArticle, korean: boolean): string {
  const name = sideName(article, korean) + nameOf(article);
  if (article.deleted) return korean ? `${withParticle(name, '은', '는')} 삭제된 조항입니다.` : `${name} has been deleted.`;
  return quoteBelow(name, cutAtSentence(article.text, maxWholeChars), korean);
}

/** Quotes a text below its name, or notes that the heading has no text. */
function quoteBelow(name: string, text: string, korean: boolean): string {
  const quoted = quote(text);
  const struck = Array.from(text.matchAll(/~~((?:(?!~~)[^\n])+)~~/g), ([, words = '']) => `“${words.trim()}”`).join(', ');
  const note = struck === '' ? '' : `\n${korean ? '취소선이 그어진 부분' : 'Struck through'}: ${struck}`;
  if (quoted !== '') return `${name}\n${quoted}${note}`;
  return korean ? `${withParticle(name, '은', '는')} 제목만 있고 내용이 없습니다.` : `${name} has a heading and no text.`;
}

const sideName = ({ side }: CollectedArticle, korean: boolean): string =>
  side === 'user' ? '' : korean ? '표준계약서 ' : 'Standard contract, ';

const quote = (text: string): string =>
  text
    .split('\n')
    .map((line) => withoutMarks(line.trimEnd()))
    .filter((line) => line !== '')
    .map((line) => `> ${line}`)
    .join('\n');

/** Removes Markdown marks around paragraph numbers: `**①**`, `1\\.` */
const withoutMarks = (line: string): string => line.replace(/\*\*([①-⑳])\*\*/gu, '$1').replace(/^(\s*[\d가-하]{1,3})\\\./u, '$1.');

function describeMissing(ruleInput: AnswerInput, korean: boolean): string[] {
  const extent = describeExtent(ruleInput, korean);
  // only a look-up by number returns every article with a label
  const isShownTwice = (subject: string): boolean =>
    ruleInput.collectedInfo.filter(({ label, via }) => label === subject && via === 'get_article_by_index').length > 1;
  const said = ruleInput.findings.flatMap(({ kind, subject }) => {
    if (kind === 'not_found')
      return [korean ? `계약서에서 ${withParticle(subject, '을', '를')} 찾지 못했습니다.` : `The contract has no ${subject}.`];
    if (kind === 'repeated' && isShownTwice(subject))
      return [
        korean
          ? `${withParticle(subject, '이', '가')} 두 번 이상 있어 모두 보입니다.`
          : `${subject} stands in the contract more than once; all are shown.`,
      ];
    return [];
  });
  const lines = [...new Set(said)];
  return extent === '' ? lines : lines.map((text, index) => (index === lines.length - 1 ? `${text} ${extent}` : text));
}

/** Returns the range of existing articles, for a question about a missing one: `이 계약서에는 제1조부터 제12조까지 있습니다.` */
function describeExtent({ findings, outline }: AnswerInput, korean: boolean): string {
  const isMissing = findings.some(
    ({ kind, subject }) => kind === 'not_found' && /^(?:제\d+조|(?:Article|Section|Clause) \d)/u.test(subject),
  );
  const body = outline.filter(({ part }) => part === 'body');
  const [first, last] = [body[0], body.at(-1)];
  if (!isMissing || !first || !last || first === last) return '';
  const name = (label: string): string => (/^\d/u.test(label) ? `${label}.` : label);
  return korean
    ? `이 계약서에는 ${name(first.label)}부터 ${name(last.label)}까지 있습니다.`
    : `It has ${name(first.label)} to ${name(last.label)}.`;
}

function describeList(listed: readonly Finding[]): string {
  const [{ subject } = { subject: '' }] = listed;
  return [subject, ...listed.filter(({ detail }) => detail !== '').map(({ detail }) => `- ${detail}`)].join('\n');
}

function withParticle(word: string, afterConsonant: string, afterVowel: string): string {
  const last = [...word.replaceAll(/[^가-힣\d]/gu, '')].at(-1) ?? '';
  const closed = /\d/.test(last) ? '013678'.includes(last) : last !== '' && (last.charCodeAt(0) - 0xac00) % 28 !== 0;
  return word + (closed ? afterConsonant : afterVowel);
}

/** Lists further search hits besides the named articles, if they share most of the question's words. */
function alsoSee(looked: readonly CollectedArticle[], searched: readonly CollectedArticle[], question: string, korean: boolean): string[] {
  if (looked.length === 0) return [];
  const also = searched.filter((article) => coverage(question, article) >= 0.75).slice(0, 3);
  return also.length === 0 ? [] : [`${korean ? '함께 볼 조항' : 'See also'}: ${also.map(nameOf).join(', ')}`];
}

const maxExceptions = 2;

/** An article of the answer, with the text of it that is quoted. */
interface Quoted {
  readonly article: CollectedArticle;
  readonly text: string;
}

const wholly = (articles: readonly CollectedArticle[]): readonly Quoted[] =>
  articles.map((article) => ({ article, text: cutAtSentence(article.text, maxWholeChars) }));

/** Quotes the passages that change articles of the answer, and are not in it themselves. */
function exceptionsTo(quoted: readonly Quoted[], { exceptions }: AnswerInput, korean: boolean): readonly string[] {
  const isQuoted = (exception: ExceptionFound): boolean =>
    quoted.some(({ article, text }) => article.id === exception.id && (text === article.text || text.includes(exception.text)));
  return exceptions
    .filter(
      (exception) => quoted.some(({ article }) => article.side === 'user' && article.id === exception.changes) && !isQuoted(exception),
    )
    .slice(0, maxExceptions)
    .map((exception) => `${korean ? '예외' : 'Exception'}: ${quoteBelow(nameOf(exception), exception.text, korean)}`);
}

/** Maximum number of passages, for an answer and for what is only near. */
const maxShown = { answer: 2, nearest: 3 } as const;

/** Describes the search hits, in the order of their best passages, and says why all but a clear answer were found. */
function describeSearch(ruleInput: AnswerInput, searched: readonly CollectedArticle[], korean: boolean): string {
  const question = fullQuestion(ruleInput);
  const { wording } = ruleInput;
  const verdict = verdictOf(ruleInput);
  const ranked = rankedBy(wording, searched);
  const [best] = ranked;
  if (verdict === 'silent' || best === undefined) return describeSilence(question, wording, korean);
  const isShown = (article: CollectedArticle): boolean => article === best || isWorthShowing(article, best, ruleInput);
  const shown = ranked.filter(isShown).slice(0, verdict === 'nearest' ? maxShown.nearest : maxShown.answer);
  const quoted = shown.map((article) => ({ article, text: excerpt(article.text, question, passageOf(article, wording)?.text) }));
  const reasonOf = (article: CollectedArticle): string =>
    verdict === 'nearest' || article !== best ? describeReason(passageOf(article, wording), korean) : '';
  const passages = quoted.map(({ article, text }) =>
    article.deleted ? quoteWhole(article, korean) : quoteBelow(nameOf(article), text, korean) + reasonOf(article),
  );
  const isException = ({ id }: CollectedArticle): boolean =>
    ruleInput.exceptions.some((exception) => exception.id === id && shown.some((article) => article.id === exception.changes));
  const rest = ranked.filter((article) => !shown.includes(article) && !isException(article)).slice(0, 2);
  const behind = rest.length === 0 ? [] : [`${korean ? '그 밖에 가까운 조항' : 'Also near'}: ${rest.map(nameOf).join(', ')}`];
  const unsure = verdict === 'nearest' ? [describeNearest(best, korean)] : [];
  return [...unsure, ...passages, ...exceptionsTo(quoted, ruleInput, korean), ...behind].join('\n\n');
}

/** Returns the articles with the best passages first; then the other hits of the search. Deleted ones only if they are the best. */
function rankedBy(wording: AnswerInput['wording'], searched: readonly CollectedArticle[]): readonly CollectedArticle[] {
  const places = wording?.passages.map(({ id }) => id) ?? [];
  const readable = searched.filter(({ id, deleted }) => !deleted || places.includes(id));
  const placeOf = ({ id }: CollectedArticle): number => (places.includes(id) ? places.indexOf(id) : places.length);
  return readable.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Minimum share of the question's words in a further passage, relative to the best one. */
const furtherShare = 0.5;

/** True if an article has a further passage that settles the question, or has about as many of its words as the best one. */
function isWorthShowing(article: CollectedArticle, best: CollectedArticle, ruleInput: AnswerInput): boolean {
  const passage = passageOf(article, ruleInput.wording);
  if (passage === undefined) return coverage(fullQuestion(ruleInput), article) >= 0.75;
  if (verdictOf(ruleInput) === 'nearest' || passage.why.settles.length > 0) return true;
  return passage.score >= furtherShare * (passageOf(best, ruleInput.wording)?.score ?? 1);
}

/** Says why a passage is near: its topics, and its words of the question. */
function describeReason(passage: WordingPassage | undefined, korean: boolean): string {
  const { settles = [], touches = [], words = [] } = passage?.why ?? {};
  const named = [...settles, ...touches, ...words.map((word) => (korean ? `‘${word}’` : `“${word}”`))];
  return named.length === 0 ? '' : `\n${korean ? '찾은 까닭' : 'Found for'}: ${named.join(', ')}`;
}

const passageOf = ({ id }: CollectedArticle, wording: AnswerInput['wording']): WordingPassage | undefined =>
  wording?.passages.find((passage) => passage.id === id);

/** Returns the paragraphs that share most words with the question, in their order. */
function excerpt(text: string, question: string, passage = ''): string {
  if (text.length <= maxExcerptChars) return text;
  if (passage !== '') return passage;
  const wanted = new Set(searchTokens(contentWords(question)));
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const ranked = lines
    .map((line, index) => ({ index, shared: sharedTokens(wanted, line) }))
    .sort((a, b) => b.shared - a.shared || a.index - b.index);
  const chosen = new Set<number>();
  let chars = 0;
  for (const { index } of ranked) {
    const length = lines[index]?.length ?? 0;
    if (chars > 0 && chars + length > maxExcerptChars) continue;
    chosen.add(index);
    chars += length;
  }
  const kept = lines.flatMap((line, index) => (chosen.has(index) ? [line] : chosen.has(index - 1) ? ['…'] : []));
  return kept.map((line) => cutAtSentence(line, maxWholeChars)).join('\n');
}

const coverage = (question: string, { label, title, text }: CollectedArticle): number =>
  questionCoverage(question, `${label} ${title} ${text}`);

function describeLastTurn({ previousArticles, previousTurn, input }: AnswerInput, korean: boolean): string {
  const readable = previousArticles.filter(({ deleted }) => !deleted);
  if (readable.length > 0) {
    const lead = korean
      ? '직전 답변의 조항과 그 조항이 참조하는 조항입니다.'
      : 'The articles of the last answer, and those that they refer to:';
    return [
      lead,
      ...readable.map((article) => quoteBelow(sideName(article, korean) + nameOf(article), excerpt(article.text, input), korean)),
    ].join('\n\n');
  }
  const answer = previousTurn.findLast(({ role }) => role === 'assistant')?.content ?? '';
  if (answer === '')
    return korean ? '앞선 대화가 없습니다. 어느 조항을 말씀하시나요?' : 'There is no earlier answer. Which article do you mean?';
  return `${korean ? '직전 답변은 다음과 같습니다.' : 'The last answer was:'}\n\n${cutAtSentence(answer, maxWholeChars)}`;
}

const noStandard = (korean: boolean): string =>
  korean
    ? '비교할 표준계약서가 주어지지 않았습니다. --standard FILE로 표준계약서를 주면 빠진 조항과 달라진 조항을 보여 드립니다.'
    : 'No standard contract was given to compare with. Give one with --standard FILE to see what is missing and what differs.';

function describeComparison(ruleInput: AnswerInput, korean: boolean): string {
  const { input, findings, collectedInfo } = ruleInput;
  const of = (kind: Finding['kind']): readonly Finding[] => findings.filter((finding) => finding.kind === kind);
  const list = (title: string, found: readonly Finding[]): string[] =>
    found.length === 0
      ? []
      : [
          `${title}\n${found.map(({ detail, wording }) => `- ${detail}${wording === undefined ? '' : `\n${indented(wording)}`}`).join('\n')}`,
        ];
  const [missing, differs, added] = [of('missing'), of('differs'), of('added')];
  const missingPart = list(
    korean
      ? `표준계약서에 있고 이 계약서에 없는 조항 (${missing.length}):`
      : `In the standard contract and not in this one (${missing.length}):`,
    missing,
  );
  if (/빠진|빠뜨|누락|missing/iu.test(input) && collectedInfo.length === 0) {
    const none = korean ? '표준계약서의 조항이 모두 있습니다.' : 'Nothing of the standard contract is missing.';
    const rest = korean
      ? `그 밖에 달라진 조항 ${differs.length}개, 표준계약서에 없는 조항 ${added.length}개가 있습니다.`
      : `Beside that, ${differs.length} articles differ and ${added.length} are not in the standard contract.`;
    return [...(missing.length === 0 ? [none] : missingPart), rest].join('\n\n');
  }
  const parts = [
    ...describeMissing(ruleInput, korean),
    ...missingPart,
    ...list(korean ? '달라진 조항:' : 'Different:', differs),
    ...list(korean ? '표준계약서에 없는 조항:' : 'Not in the standard contract:', added),
    ...list(korean ? '같은 조항:' : 'The same:', of('same')),
    ...list(korean ? '내용은 같고 자리를 옮긴 조항:' : 'The same, and moved:', of('moved')),
  ];
  if (parts.length === 0) return korean ? '표준계약서와 다른 점을 찾지 못했습니다.' : 'No difference from the standard contract was found.';
  if (differs.some(({ wording }) => wording !== undefined)) {
    parts.push(
      korean
        ? '([-…-]는 표준계약서에만, {+…+}는 이 계약에만 있는 말입니다.)'
        : '([-…-] stands only in the standard contract, {+…+} only in this one.)',
    );
  }
  const quoted = collectedInfo.slice(0, 4).map((article) => quoteWhole(article, korean));
  return [...parts, ...quoted].join('\n\n');
}

const indented = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `  > ${withoutMarks(line.trim())}`)
    .join('\n');

function talk(question: string, korean: boolean): string {
  const thanks = new RegExp(smallTalkWords.thanks, 'iu').test(question);
  if (korean)
    return thanks
      ? '천만에요. 계약서에 대해 더 궁금한 점이 있으면 물어보세요.'
      : '안녕하세요. 계약서의 조항, 기간, 대금, 해지, 손해배상 등을 물어보세요.';
  return thanks
    ? "You're welcome. Ask me anything else about the contract."
    : 'Hello. Ask me about the articles of the contract, its term, payment, termination or damages.';
}
