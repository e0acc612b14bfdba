import type { JsonObject } from 'agent-machines';
import { answerSentence, type ModelAnswer, type OfflineRules, rulesRefused } from 'agent-machines/models';
import { answersInKorean, splitSentences } from 'agent-machines/search';
import type { CatalogueService } from '../catalogue.ts';
import type { GuideAgentRuleInputs, WorkInput } from '../rule-inputs.ts';
import { composeGuide } from './compose-guide.ts';
import { recommend } from './recommend.ts';
import { revisePlan } from './revise-plan.ts';
import { neighboursOf, servicesCovering, servicesFor } from './services-for.ts';
import { wishesIn } from './wishes.ts';

/** Answers the tasks of guide-agent by rules, in Korean and English, only from the catalogue. */
export const guideAgentRules: OfflineRules<GuideAgentRuleInputs> = {
  'guide_agent.llm_router': ({ ruleInput }) => route(ruleInput),
  'guide_agent.planning_node': ({ ruleInput }) => plan(ruleInput),
  'guide_agent.recommend_tool_node': ({ ruleInput, tools = [] }) =>
    recommend(
      ruleInput,
      tools.map(({ name }) => name),
    ),
  'guide_agent.guide_generation_node': ({ ruleInput }) => composeGuide(ruleInput),
  'guide_agent.reflection_node': ({ ruleInput }) => reflect(ruleInput),
};

const work =
  /만들|만드|제작|기획|준비|구축|운영|런칭|론칭|출시|오픈|자동화|시작하|시작할|올리|올릴|편집하|작성하|쓰려|(?<![알묻])고\s?싶|워크플로|가이드|produce|create|build|launch|set\s?up|automate|publish|make\s+(?:a|an|my|our|some)|workflow|guide|(?:want|like|need|going) to|\bi(?: am|'m)? (?:need|looking for)\b|\bhelp me\b|plan\b/iu;
const question =
  /(?:뭐야|무엇|뭔가요|얼마|가격|차이|의미|누구|언제|되나요\??|있어\?|있나요\??)|[는은]\s*(?:AI\s*)?(?:서비스|도구|툴|앱|사이트|프로그램)(?:[은는이가도]|\s*중에)?\s*(?:[?？]|추천|알려|골라|찾아|있|$)|^\s*(?:what|who|when|how much|is|are|does|do|which)\b/iu;

function route({ input, services, currentDatetime }: WorkInput): JsonObject {
  if (answerSentence(input, { currentDatetime }) !== undefined)
    return { is_complex_task: false, reason: 'a sum, a date, a time or small talk' };
  const named = servicesFor(input, services).length > 0;
  const isWork = work.test(input) && !(question.test(input) && !/어떻게|how (?:do|can|to)/iu.test(input));
  return { is_complex_task: isWork, reason: isWork ? 'work of several steps' : named ? 'a question about the catalogue' : 'a question' };
}

const maxTasks = 5;

function plan({ input, subTasks, userFeedback, services }: WorkInput): ModelAnswer {
  if (userFeedback !== null) {
    const revised = revisePlan(subTasks, userFeedback);
    if (revised) return { sub_tasks: [...revised] };
    const korean = answersInKorean(userFeedback);
    throw rulesRefused(
      korean
        ? '규칙은 추가, 삭제, 이름 변경, 순서 변경만 알아듣습니다(2~5개). 예: "3번 빼줘", "자막 추가해줘", "2번을 번역으로 바꿔줘", "3번을 맨 앞으로".'
        : 'Rules understand adding, removing, renaming and reordering only (2 to 5 sub-tasks), for example "remove 3", "add subtitles", "rename 2 to translation", "move 3 to the front".',
      { korean },
    );
  }
  // the words of the request select the services; a single service is completed by related ones
  const covering = servicesCovering(input, services).slice(0, maxTasks);
  const [only] = covering;
  const chosen = only && covering.length === 1 ? [only, ...whatGoesWith(only, input, services)] : covering;
  const found = services.filter((service) => chosen.includes(service)).map((service) => taskOf(service, input));
  if (found.length >= 2) return { sub_tasks: found };
  const korean = answersInKorean(input);
  throw rulesRefused(
    korean ? '카탈로그의 말로는 이 작업을 나눌 수 없습니다.' : 'The words of the catalogue are not enough to divide this work.',
    { korean },
  );
}

/**
 * Returns the best service of each other category that the request mentions. If there is none, returns services with a common tag, or else
 * one of the same category.
 */
function whatGoesWith(only: CatalogueService, input: string, services: readonly CatalogueService[]): readonly CatalogueService[] {
  const kinds = new Set([only.category]);
  const spoken = servicesFor(input, services).filter(({ category }) => !kinds.has(category) && kinds.add(category));
  if (spoken.length > 0) return spoken.slice(0, 3);
  const near = neighboursOf(only, services);
  if (near.length > 0) return near.slice(0, 2);
  return services.filter(({ category, id }) => category === only.category && id !== only.id).slice(0, 1);
}

const taskOf = ({ purpose, purpose_en = '', description_en = '' }: CatalogueService, input: string): string =>
  answersInKorean(input) ? purpose : purpose_en || englishTask(description_en) || purpose;

/**
 * Converts a description to a task: "ShortsOtter finds highlights in long videos and cuts them …" becomes "Find highlights in long videos".
 */
function englishTask(description: string): string {
  const [does = ''] = description
    .replace(/^\S+\s+/, '')
    .replace(/^is\s.*?\s(?:that|and)\s/, '')
    .split(/[,;.](?:\s|$)|(?<=\S+\s\S+)\s+and\s+/, 1);
  const task = does.replace(/^\w+(?:\s+and\s+\w+)?/, (verbs) => verbs.replaceAll(/\w+/g, plainVerb));
  return task.charAt(0).toUpperCase() + task.slice(1);
}

const plainVerb = (verb: string): string =>
  verb.length <= 3
    ? verb
    : verb
        .replace(/ies$/, 'y')
        .replace(/(ch|sh|ss|x)es$/, '$1')
        .replace(/s$/, '');

/** Sentences about preferences or budgets. */
const preference =
  /예산|선호|좋아하|좋아해|싫어|싫다|이하로|이내로|까지만|budget|\bprefer|\bi (?:like|love|hate)\b|don't like|at most|under \d/iu;

/** Returns the user's sentences about preferences, word for word, and the sub-tasks for which the catalogue had no service. */
function reflect({ input, feedbacks, toolRecommendations, known }: GuideAgentRuleInputs['guide_agent.reflection_node']): JsonObject {
  const korean = answersInKorean(input);
  const said = [input, ...feedbacks];
  const sentences = said
    .flatMap(splitSentences)
    .filter((text) => text.length >= 4 && text.length <= 500 && (preference.test(text) || wishesIn(text).length > 0));
  const memories = [
    ...sentences.map((text) => ({ kind: 'preference', text })),
    ...toolRecommendations
      .filter(({ status }) => status === 'unresolved')
      .map(({ sub_task }) => ({
        kind: 'feedback',
        text: korean ? `카탈로그에 없는 작업을 찾았다: ${sub_task}` : `Looked for something that the catalogue does not have: ${sub_task}`,
      })),
  ];
  const isNew = ({ text }: { readonly text: string }): boolean => !known.some((one) => one.text === text);
  return { memories: memories.filter(isNew).slice(0, 10) };
}
