import { jsonOrText, type ModelAnswer } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import type { CatalogueService } from '../catalogue.ts';
import type { GuideAgentRuleInputs } from '../rule-inputs.ts';
import { allWishes, type Wish, wishesIn } from './wishes.ts';

type RecommendInput = GuideAgentRuleInputs['guide_agent.recommend_tool_node'];

interface Retrieved {
  readonly services?: readonly (CatalogueService & { readonly score: number })[];
  readonly trends?: readonly { readonly id: string; readonly text: string }[];
  readonly should_fallback?: boolean;
  readonly memories?: readonly { readonly text: string }[];
}

/** Looks up a sub-task in the catalogue, then recommends the best service. The user's wishes decide between similar scores. */
export function recommend(
  { subTasks, currentTask, taskMessages, input, feedbacks }: RecommendInput,
  tools: readonly string[],
): ModelAnswer {
  const task = subTasks[currentTask] ?? '';
  const answers = taskMessages.flatMap((message) => (message.role === 'tool' ? [read(message.content)] : []));
  if (answers.length === 0) {
    return {
      toolCalls: [
        { name: 'retrieve_docs', arguments: { query: task } },
        ...(tools.includes('read_memory')
          ? [{ name: 'read_memory', arguments: { query: `${task} ${allWishes}`.slice(0, 500), limit: 10 } }]
          : []),
      ],
    };
  }
  const found = answers.find(({ services }) => services !== undefined);
  const asked = taskMessages.some(
    (message) => message.role === 'assistant' && message.toolCalls?.some(({ name }) => name === 'google_search'),
  );
  if (found?.should_fallback && tools.includes('google_search') && !asked) {
    return { toolCalls: [{ name: 'google_search', arguments: { query: task } }] };
  }
  const said = [input, ...feedbacks, ...answers.flatMap(({ memories = [] }) => memories.map(({ text }) => text))];
  const wanted = wishesIn(said.join('\n'));
  const best = bestOf(found?.services, wanted);
  if (!best) return answersInKorean(input) ? '카탈로그에서 알맞은 서비스를 찾지 못했습니다.' : 'No service of the catalogue fits.';
  const trend = found?.trends?.find(({ text }) => text.includes(best.name));
  return {
    service: best.name,
    reason: `${reasonOf(best, answersInKorean(input))}${fitsWhat(best, wanted, answersInKorean(input))}`,
    source_ids: [best.id, ...(trend ? [trend.id] : [])],
  };
}

/** Plain text has no catalogue data. */
const read = (content: string): Retrieved => (jsonOrText(content) ?? {}) as Retrieved;

/** Returns the hit that fulfils most wishes, among those with at least 60 % of the best score. */
function bestOf(
  services: Retrieved['services'] = [],
  wanted: readonly Wish[],
): (CatalogueService & { readonly score: number }) | undefined {
  const near = services.filter(({ score }) => score >= (services[0]?.score ?? 0) * 0.6);
  const fitting = (service: CatalogueService): number => wanted.filter(({ fits }) => fits(service)).length;
  return near.reduce<(typeof near)[number] | undefined>((best, one) => (best && fitting(best) >= fitting(one) ? best : one), undefined);
}

const priceOf = ({ amount, currency, per, free_tier }: CatalogueService['price'], korean: boolean): string => {
  if (amount === 0) return korean ? '무료' : 'free';
  const price = `${amount.toLocaleString('en-US')} ${currency}${per === '' ? '' : `/${per}`}`;
  return free_tier ? `${price}${korean ? ' (무료 범위 있음)' : ' (with a free tier)'}` : price;
};

/** Describes a service and its price in one or two sentences. */
export const reasonOf = ({ purpose, description, description_en = '', price }: CatalogueService, korean: boolean): string =>
  korean ? `${purpose}. ${description} 가격: ${priceOf(price, true)}.` : `${description_en || purpose} Price: ${priceOf(price, false)}.`;

function fitsWhat(service: CatalogueService, wanted: readonly Wish[], korean: boolean): string {
  const fitting = wanted.filter(({ fits }) => fits(service)).map(({ ko, en }) => (korean ? ko : en));
  if (fitting.length === 0) return '';
  return korean ? ` 원하신 조건에 맞습니다: ${fitting.join(', ')}.` : ` It is what you asked for: ${fitting.join(', ')}.`;
}
