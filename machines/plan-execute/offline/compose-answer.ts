import {
  answerSmallTalk,
  askedDefinition,
  describeToolOutput,
  describeUnavailable,
  knownAnswers,
  modelNeeded,
  modestAnswer,
  type Need,
  smallTalkWords,
} from 'agent-machines/models';
import { answersInKorean, describeFailure, searchTokens, splitSentences } from 'agent-machines/search';
import type { PlanExecuteRuleInputs, TurnInput } from '../rule-inputs.ts';
import type { RecordedStep } from '../state.ts';
import { needsOf, toolFor, toolsFor } from './needs-of.ts';
import { readContent } from './request-kinds.ts';

/** Answers by quoting the results of the tools. Names missing results, and never invents any. */
export function composeAnswer(turn: PlanExecuteRuleInputs['plan_execute.final_answer']): string {
  const korean = answersInKorean(turn.input);
  const { input, intent, pastSteps } = turn;
  const needs = needsOf(turn);
  const known = knownAnswers(needs);
  const missing = needs.flatMap((need) =>
    need.kind === 'known' || toolFor(need, turn.tools) !== undefined ? [] : [missingTool(need, turn, korean)],
  );
  if (pastSteps.length > 0) return [...describeSteps(turn, needs, korean), ...known, ...missing].join('\n\n');
  if (known.length > 0) return [...known, ...missing].join('\n');
  if (intent === 'chitchat') return chat(input, korean);
  if (intent === 'clarification') return clarify(turn, korean);
  const content = readContent(input);
  if (content) return describeContent(content, korean);
  return missing.length > 0 ? missing.join('\n') : modestAnswer({ korean });
}

function describeSteps(
  { input, pastSteps }: PlanExecuteRuleInputs['plan_execute.final_answer'],
  needs: readonly Need[],
  korean: boolean,
): string[] {
  const succeeded = pastSteps.filter((past) => past.status === 'success');
  const used = new Set(succeeded.flatMap(({ step }) => referencedSteps(step.input_from)));
  const failed = pastSteps.filter((past) => past.status === 'failure');
  const origin = ({ step }: RecordedStep): number => Math.min(step.step_id, ...referencedSteps(step.input_from));
  const results = succeeded
    .filter(({ step }) => !used.has(step.step_id))
    .sort((a, b) => origin(a) - origin(b)) // in the order of the request
    .map((past) => describeOutput(past, succeeded, { request: input, needs, korean }));
  const failures = failed.map(({ step, error }) => `(${step.tool}: ${describeFailure(error, { korean })})`);
  return [...results, ...failures];
}

const referencedSteps = (from: RecordedStep['step']['input_from']): readonly number[] =>
  (from === undefined ? [] : typeof from === 'string' ? [from] : Object.values(from)).map((text) => Number(/^step_(\d+)/.exec(text)?.[1]));

function searchOf({ step }: Pick<RecordedStep, 'step'>, succeeded: readonly RecordedStep[]): RecordedStep | undefined {
  const [source] = referencedSteps(step.input_from);
  return succeeded.find((past) => past.step.step_id === source);
}

function describeOutput(
  { step, output }: RecordedStep,
  succeeded: readonly RecordedStep[],
  { request, needs, korean }: { readonly request: string; readonly needs: readonly Need[]; readonly korean: boolean },
): string {
  const searched = step.tool === 'summarize' ? searchOf({ step }, succeeded) : undefined;
  const sum = needs.find((need) => need.kind === 'calculate' && step.tool === 'calculator' && need.expression === step.input);
  const question = openQuestion(step, needs);
  const described = describeToolOutput(step.tool, output, {
    korean,
    request,
    continued: isContinued((searched ?? { step }).step),
    ...(sum?.kind === 'calculate' && sum.unit !== undefined ? { unit: sum.unit } : {}),
    ...(question === undefined ? {} : { question }),
    ...(searched?.output === undefined ? {} : { searched: searched.output }),
  });
  const isWhole = question === undefined || described.includes('“') || askedDefinition(request) !== undefined;
  return isWhole ? described : modestAnswer({ korean, notFound: described });
}

/** Returns the question of a document search that the user did not ask for. A quotation must cover this question. */
function openQuestion({ tool, input }: RecordedStep['step'], needs: readonly Need[]): string | undefined {
  const query = typeof input === 'object' ? input.query : input;
  const need = needs.find((need) => need.kind === 'documents' && !need.named && !need.summarize && need.query === query);
  return tool === 'search_documents' && need?.kind === 'documents' ? need.query : undefined;
}

/** True for a search that skips the hits of earlier turns. */
const isContinued = ({ input }: RecordedStep['step']): boolean => typeof input === 'object' && Number(input.skip ?? 0) > 0;

function missingTool(need: Exclude<Need, { readonly kind: 'known' }>, { unavailable }: TurnInput, korean: boolean): string {
  const names = toolsFor(need);
  const reasons = names.map((name) => {
    const known = unavailable.find((tool) => tool.name === name);
    if (known) return `${name}: ${describeUnavailable(known.reason, { korean })}`;
    return `${name}: ${korean ? '이 실행에 허용되지 않았습니다.' : 'not granted to this run.'}`;
  });
  const kind = kinds[need.kind][korean ? 'ko' : 'en'];
  const subject = 'query' in need && need.query !== '' ? `${kind} (${need.query})` : kind;
  return korean
    ? `${subject}: 지금은 알아볼 수 없습니다. ${reasons.join(' ')}`
    : `${subject}: cannot be looked up here. ${reasons.join(' ')}`;
}

const kinds: { readonly [K in Exclude<Need['kind'], 'known'>]: { readonly ko: string; readonly en: string } } = {
  calculate: { ko: '계산', en: 'Calculation' },
  datetime: { ko: '날짜와 시각', en: 'Date and time' },
  weather: { ko: '날씨', en: 'Weather' },
  read: { ko: '파일 읽기', en: 'Reading files' },
  wikipedia: { ko: '위키백과', en: 'Wikipedia' },
  web: { ko: '웹 검색', en: 'Web search' },
  documents: { ko: '문서 검색', en: 'Document search' },
};

const says = (words: string): RegExp => new RegExp(words, 'iu');
const [thanks, farewell, greeting] = [says(smallTalkWords.thanks), says(smallTalkWords.farewell), says(smallTalkWords.greeting)];

function chat(input: string, korean: boolean): string {
  const talk = answerSmallTalk(input, korean);
  if (talk !== undefined) return talk;
  if (thanks.test(input))
    return korean ? '별말씀을요! 더 필요한 것이 있으면 말씀해 주세요.' : 'You are welcome! Tell me if you need anything else.';
  if (farewell.test(input)) return korean ? '안녕히 가세요!' : 'Goodbye!';
  if (greeting.test(input)) {
    return korean
      ? '안녕하세요! 무엇을 도와드릴까요? 계산, 문서 검색과 요약을 할 수 있습니다.'
      : 'Hello! What can I do for you? I can calculate, and search and summarise documents.';
  }
  return korean ? '네! 더 궁금한 것이 있으면 말씀해 주세요.' : 'Fine! Ask me anything else.';
}

function clarify({ messages }: TurnInput, korean: boolean): string {
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  return korean
    ? `앞의 답은 다음과 같았습니다.\n${quote(last)}\n다른 말로 풀어 설명하거나 예를 만들려면 언어 모델이 필요합니다(OPENAI_API_KEY).`
    : `The last answer was:\n${quote(last)}\nPutting it in other words, or making up an example, needs a language model (OPENAI_API_KEY).`;
}

function describeContent({ content, order }: { readonly content: string; readonly order: string }, korean: boolean): string {
  const sentences = splitSentences(content);
  const kind = kindOf(content);
  const what = korean
    ? `${kind.ko}입니다 (${content.length}자, ${Math.max(1, sentences.length)}문장).`
    : `This is ${kind.en} (${content.length} characters, ${Math.max(1, sentences.length)} sentences).`;
  const key = keySentences(sentences).map((sentence) => `- “${sentence}”`);
  const heading = key.length === 0 ? [] : [korean ? '핵심 문장:' : 'Key sentences:', ...key];
  const needsModel = order !== '' && !/요약|정리|summar/i.test(order);
  const offer = korean
    ? `${needsModel ? `"${order}"에는 ${modelNeeded.korean}. ` : ''}번역, 요약, 자세한 설명 가운데 원하는 작업을 말씀해 주세요.`
    : `${needsModel ? `"${order}" ${modelNeeded.english}. ` : ''}Tell me what to do next: translate, summarise, explain.`;
  return [what, ...heading, offer].join('\n');
}

/** Returns the sentences that share most words with the rest, in their order. */
function keySentences(sentences: readonly string[]): readonly string[] {
  const frequency = new Map<string, number>();
  for (const token of sentences.flatMap(searchTokens)) frequency.set(token, (frequency.get(token) ?? 0) + 1);
  const score = (sentence: string): number => {
    const tokens = [...new Set(searchTokens(sentence))];
    return tokens.reduce((sum, token) => sum + (frequency.get(token) ?? 0), 0) / Math.sqrt(tokens.length + 1);
  };
  const best = [...sentences].sort((a, b) => score(b) - score(a)).slice(0, 3);
  return sentences.filter((sentence) => best.includes(sentence)).slice(0, 3);
}

function kindOf(content: string): { readonly ko: string; readonly en: string } {
  if (/^\s*[[{]/.test(content) && /[\]}]\s*$/.test(content)) return { ko: 'JSON 데이터', en: 'JSON data' };
  if (/[{};]\s*\n|^[ \t]*(?:import|function|const|def|class)\s/m.test(content)) return { ko: '코드', en: 'code' };
  if ((content.match(/^[ \t]*(?:[-*•]|\d+[.)])\s/gm)?.length ?? 0) >= 3) return { ko: '목록', en: 'a list' };
  if (content.split('\n').filter((line) => line.split(/[,\t|]/).length >= 3).length >= 3) return { ko: '표 데이터', en: 'a table' };
  return { ko: '글', en: 'a text' };
}

const quote = (lines: string): string => lines.replace(/^/gm, '> ');
