import { asJson, type Json, type JsonObject } from 'agent-machines';
import { type Need, type OfflineRules, readNeeds, stripImperative } from 'agent-machines/models';
import { answersInKorean, contentWords } from 'agent-machines/search';
import type { PlanStep } from 'agent-machines/tools';
import type { PlanExecuteRuleInputs, TurnInput } from '../rule-inputs.ts';
import type { Intent } from '../state.ts';
import { composeAnswer } from './compose-answer.ts';
import { lastQuestion, needsOf, readTurn, toolFor } from './needs-of.ts';
import { isChitchat, isClarification, isFollowUp, readContent } from './request-kinds.ts';

/** Answers the tasks of plan-execute by rules, in Korean and English. Admits what the rules cannot know. */
export const planExecuteRules: OfflineRules<PlanExecuteRuleInputs> = {
  'plan_execute.intent_classifier': ({ ruleInput }) => classify(ruleInput),
  'plan_execute.planner': ({ ruleInput }) => plan(ruleInput),
  'plan_execute.replanner': ({ ruleInput }) => replan(ruleInput),
  'plan_execute.final_answer': ({ ruleInput }) => composeAnswer(ruleInput),
};

function classify(turn: TurnInput): JsonObject {
  const { input, messages, tools } = turn;
  const reply = (intent: Intent, query: string, needsTool: boolean, constraints: string | null = null): JsonObject => ({
    intent,
    rewritten_query: query,
    needs_tool: needsTool,
    constraints,
  });
  if (isChitchat(input)) return reply('chitchat', input, false);
  const needs = readTurn(input, turn);
  const { question } = lastQuestion(messages);
  const isSum = needs.some(({ kind }) => kind === 'calculate' || kind === 'known');
  if (isFollowUp(input) && !isSum && question !== undefined) {
    return reply('follow_up', otherOnes(question), isSatisfiable(readNeeds(question), tools), contentWords(stripImperative(question)));
  }
  if (isClarification(input) && question !== undefined) return reply('clarification', `${input} (${question})`, false);
  if (readContent(input)) return reply('new_question', answersInKorean(input) ? '(콘텐츠 분석/처리)' : '(content analysis)', false);
  return reply('new_question', stripImperative(input), isSatisfiable(needs, tools));
}

/** Rewrites a repeated question: `… 맛집 추천해줘` becomes `… 다른 맛집 추천`. A search is named by its query. */
function otherOnes(question: string): string {
  const korean = answersInKorean(question);
  const searches = readNeeds(question).flatMap((need) => (need.kind === 'documents' ? [need.query] : []));
  if (searches.length > 0) return `${searches.join(', ')} ${korean ? '다른 내용' : '(more results)'}`;
  const words = stripImperative(question).split(/\s+/);
  if (!korean) return `${words.join(' ')} (more results)`;
  const from = Math.max(0, /^(?:추천|소개|목록)$/.test(words.at(-1) ?? '') ? words.length - 2 : words.length - 1);
  return [...words.slice(0, from), '다른', ...words.slice(from)].join(' ');
}

const isSatisfiable = (needs: readonly Need[], tools: readonly string[]): boolean =>
  needs.some((need) => toolFor(need, tools) !== undefined);

const passagesPerSearch = 5;

function plan(turn: TurnInput): Json {
  const skip = turn.intent === 'follow_up' ? lastQuestion(turn.messages).followUps * passagesPerSearch : 0;
  const steps: PlanStep[] = [];
  // parallel steps come first, summaries after them
  const summaries: { readonly of: number; readonly focus: string }[] = [];
  for (const need of needsOf(turn)) {
    const tool = toolFor(need, turn.tools);
    if (tool === undefined) continue;
    const step_id = steps.length + 1;
    steps.push({ step_id, tool, input: inputFor(tool, need, skip) });
    if ('summarize' in need && need.summarize && turn.tools.includes('summarize')) summaries.push({ of: step_id, focus: queryOf(need) });
  }
  for (const { of, focus } of summaries) steps.push(summaryStep(steps.length + 1, of, focus));
  return { steps: asJson(steps) };
}

const summaryStep = (step_id: number, of: number, focus: string): PlanStep =>
  focus === ''
    ? { step_id, tool: 'summarize', input_from: `step_${of}` }
    : { step_id, tool: 'summarize', input: { focus }, input_from: { text: `step_${of}` } };

const queryOf = (need: Need): string => ('query' in need ? need.query : '');

function inputFor(tool: string, need: Need, skip: number): string | JsonObject {
  switch (tool) {
    case 'calculator':
      return need.kind === 'calculate' ? need.expression : '';
    case 'get_current_datetime':
      return need.kind === 'datetime' && need.zone !== undefined ? { zone: need.zone } : {};
    case 'get_weather':
      return queryOf(need);
    case 'read_file':
      return need.kind === 'read' ? need.path : '';
    case 'search_documents': {
      const query = need.kind === 'read' ? wordsOfPath(need.path) : queryOf(need);
      return skip > 0 ? { query, limit: passagesPerSearch, skip } : query;
    }
    default:
      return need.kind === 'weather' ? `${need.query} 날씨` : queryOf(need);
  }
}

const wordsOfPath = (path: string): string =>
  path
    .replace(/\.[a-z]+$/i, '')
    .replaceAll(/[/._-]+/g, ' ')
    .trim();

/** Replaces each failed step by one with another tool if possible, and updates the references of later steps. */
function replan({ tools, pastSteps, plan: remaining, wave, firstId }: PlanExecuteRuleInputs['plan_execute.replanner']): Json {
  const failedTools = new Set(pastSteps.filter(({ status }) => status === 'failure').map(({ step }) => step.tool));
  const newIds = new Map<number, number>();
  const steps: PlanStep[] = [];
  const replanned = new Set(pastSteps.filter(({ status }) => status === 'success').map(({ step }) => step.step_id));
  for (const { step, status } of pastSteps) {
    if (status !== 'failure' || !wave.includes(step.step_id)) continue; // earlier failures already have replacements
    const tool = (substitutes[step.tool] ?? []).find((name) => tools.includes(name) && !failedTools.has(name));
    if (tool === undefined) return { steps: [] };
    const step_id = firstId + steps.length;
    newIds.set(step.step_id, step_id);
    steps.push({ step_id, tool, input: substituteInput(step, tool) });
  }
  for (const step of remaining) {
    const step_id = firstId + steps.length;
    newIds.set(step.step_id, step_id);
    steps.push({
      ...step,
      step_id,
      ...(step.input_from === undefined ? {} : { input_from: renumber(step.input_from, newIds, replanned) }),
    });
  }
  return { steps: asJson(steps) };
}

const substitutes: { readonly [tool: string]: readonly string[] } = {
  read_file: ['search_documents'],
  get_weather: ['web_search'],
  web_search: ['search_wikipedia', 'search_documents'],
  search_wikipedia: ['web_search', 'search_documents'],
  search_documents: ['search_wikipedia', 'web_search'],
};

function substituteInput({ tool, input }: PlanStep, substitute: string): string {
  const text = typeof input === 'string' ? input : String(input?.query ?? input?.path ?? input?.location ?? '');
  if (tool === 'read_file') return wordsOfPath(text);
  return tool === 'get_weather' && substitute === 'web_search' ? `${text} 날씨` : text;
}

function renumber(
  from: NonNullable<PlanStep['input_from']>,
  newIds: ReadonlyMap<number, number>,
  kept: ReadonlySet<number>,
): NonNullable<PlanStep['input_from']> {
  const one = (reference: string): string =>
    reference.replace(/^step_(\d+)/, (whole, id: string) => (kept.has(Number(id)) ? whole : `step_${newIds.get(Number(id)) ?? id}`));
  return typeof from === 'string' ? one(from) : Object.fromEntries(Object.entries(from).map(([name, reference]) => [name, one(reference)]));
}
