import { answerSentence, askedDefinition, hasTopic, lastAnswerOf, modelNeeded, readNeeds, smallTalkWords } from 'agent-machines/models';
import { answersInKorean, isTextRequest, splitSentences } from 'agent-machines/search';
import type { CatalogueService } from '../catalogue.ts';
import type { WorkInput } from '../rule-inputs.ts';
import { reasonOf } from './recommend.ts';
import { servicesFor, shareKnown } from './services-for.ts';
import { wishesIn } from './wishes.ts';

/** Combines the recommendations with quotations from the catalogue and the trend documents, or answers a question about the catalogue. */
export function composeGuide(work: WorkInput): string {
  const { input, isComplexTask, toolRecommendations } = work;
  const korean = answersInKorean(input);
  if (!isComplexTask) return answerQuestion(work, korean);
  const steps = toolRecommendations.map((one, index) => {
    const title = `${index + 1}. ${one.sub_task}`;
    if (one.status === 'unresolved') return `${title}\n   ${korean ? '알맞은 서비스를 찾지 못했습니다.' : 'No service was found.'}`;
    const trend = trendOn(one.service, work);
    return [
      title,
      `   ${korean ? '추천' : 'Use'}: ${nameIn(one.service, work.services, korean)}`,
      `   ${one.reason}`,
      ...(trend ? [`   “${trend.sentence}” (${trend.source})`] : []),
    ].join('\n');
  });
  const lead = korean ? `“${input}” 작업 가이드` : `Guide: ${input}`;
  const end = korean
    ? '순서대로 진행하고, 각 단계의 결과를 다음 단계에 넘기세요.'
    : 'Work through them in this order; each step hands its result to the next.';
  return [lead, ...steps, end].join('\n\n');
}

/** Name of a service; in English with the English name before it, which begins its English description. */
function nameIn(name: string, services: readonly CatalogueService[], korean: boolean): string {
  const { description_en = '' } = services.find((service) => service.name === name) ?? {};
  const [english] = korean ? [] : (/^[A-Z]\w*[A-Z]\w*/.exec(description_en) ?? []);
  return english === undefined ? name : `${english} (${name})`;
}

function trendOn(service: string, { retrievedDocs }: WorkInput): { readonly sentence: string; readonly source: string } | undefined {
  for (const { source, text } of retrievedDocs) {
    if (source === 'catalogue') continue;
    const sentence = splitSentences(text).find((one) => one.includes(service));
    if (sentence !== undefined) return { sentence: sentence.replaceAll(/\s+/gu, ' '), source }; // PDFs break lines anywhere
  }
  return undefined;
}

const smallTalk = new RegExp(`^(?:${smallTalkWords.greeting}|${smallTalkWords.thanks}|${smallTalkWords.laughter})`, 'iu');

/** Questions about current events, which no catalogue answers. */
const asksForNews =
  /(?:요즘|오늘|어제|최신|최근|지금|방금|이번\s?주)[^?]{0,15}(?:뉴스|소식|날씨|주가|환율|시세|순위)|(?:뉴스|소식|날씨|주가|환율|시세)[^?]{0,6}(?:뭐|어때|어떻|어떤|얼마)|\b(?:latest|today['’]?s?|current|recent|breaking|yesterday['’]?s?)\b[^?]{0,25}\b(?:news|headlines?|weather|stock|exchange rates?|scores?)\b|\b(?:news|weather|headlines?)\b[^?]{0,15}\b(?:today|now|this week)\b/iu;
const asksForService =
  /서비스|앱|어플|도구|툴|사이트|프로그램|추천|카탈로그|브리핑|모아|받아|보내|챙겨|지켜|정리|싶|\b(?:services?|apps?|tools?|sites?|software|program|recommend\w*|catalogue|which|briefings?|monitor\w*|watch\w*|track\w*|follow\w*|collect\w*|send\w*|want|need|how)\b/iu;

/** True if the input asks for the thing itself, and not for a service that provides it. */
const asksForItself = (input: string): boolean =>
  !hasTopic(input) ||
  ((isTextRequest(input) || asksForNews.test(input) || askedDefinition(input) !== undefined) && !asksForService.test(input));

function answerQuestion({ input, services, messages, currentDatetime }: WorkInput, korean: boolean): string {
  const answer = answerSentence(input, { currentDatetime, ...lastAnswerOf(messages) });
  if (answer !== undefined) return answer;
  if (smallTalk.test(input.trim()) && askedDefinition(input) === undefined) {
    return korean
      ? '안녕하세요. 하려는 작업을 말씀해 주시면 단계와 서비스를 찾아 드립니다.'
      : 'Hello. Tell me what you want to get done, and I find the steps and the services for it.';
  }
  const found = servicesFor(input, services);
  const isNamed = (name: string): boolean => name !== '' && input.toLowerCase().includes(name.toLowerCase());
  const named = found.filter(({ name, description_en = '' }) => isNamed(name) || isNamed(description_en.split(' ', 1)[0] ?? ''));
  const wanted = wishesIn(input);
  // a single word can be ambiguous
  const isFile = readNeeds(input).some(({ kind }) => kind === 'read');
  const spoken = !isFile && !asksForItself(input) && shareKnown(input, services) >= 0.5 ? found : [];
  const fitting = spoken.filter((service) => wanted.every(({ fits }) => fits(service)));
  const shown = [named, fitting, spoken].find((list) => list.length > 0)?.slice(0, 3) ?? [];
  if (shown.length === 0) {
    return korean
      ? `이 질문에 답하려면 ${modelNeeded.korean}. 규칙으로는 카탈로그의 서비스에 관해서만 답합니다.`
      : `Answering this ${modelNeeded.english}. By rules I only know the services of the catalogue.`;
  }
  return shown.map((service) => `${nameIn(service.name, services, korean)}: ${reasonOf(service, korean)}`).join('\n');
}
