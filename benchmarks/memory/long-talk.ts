import type { TranscriptMessage } from 'agent-machines/memory';
import { englishFacts, koreanFacts, type PlantedFact, smallTalk } from './planted-facts.ts';

export type TalkLanguage = keyof typeof smallTalk;

/** A question at the end of a conversation, and the messages that answer it. */
export interface RecallQuestion {
  readonly type: PlantedFact['type'];
  readonly question: string;
  readonly evidence: readonly string[];
}

export interface LongTalk {
  readonly language: TalkLanguage;
  readonly messages: readonly TranscriptMessage[];
  readonly questions: readonly RecallQuestion[];
}

const turnsPerSession = 15;
const dayMs = 86_400_000;

/** Whole numbers below `below`, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

/** A conversation of some turns in sessions, days apart: small talk, with facts planted anywhere but near its end. */
export function longTalk(language: TalkLanguage, turns: number, seed: number): LongTalk {
  const next = numbers(seed);
  const { lines, replies, words } = smallTalk[language];
  const pick = <T>(all: readonly T[]): T => all[next(all.length)] as T;
  const fill = (template: string): string => template.replace(/\{(\w+)\}/g, (_, name: keyof typeof words) => pick(words[name]));
  const facts = language === 'english' ? englishFacts : koreanFacts;
  const planted = new Map<number, { readonly talk: readonly string[]; readonly fact: number }>();
  for (const [fact, { talks }] of facts.entries()) {
    for (const talk of talks) {
      let at = next(turns - 20);
      while ([0, 1].some((n) => planted.has(at + n) || planted.has(at - n))) at = next(turns - 20);
      planted.set(at, { talk, fact });
    }
  }
  const messages: TranscriptMessage[] = [];
  const evidence = facts.map((): string[] => []);
  const say = (text: string, turn: number, fact?: number): void => {
    const id = `m${messages.length}`;
    if (text.startsWith('*') && fact !== undefined) evidence[fact]?.push(id);
    const session = Math.floor(turn / turnsPerSession);
    const at = Date.UTC(2026, 0, 5, 9) + session * 3 * dayMs + (turn % turnsPerSession) * 60_000;
    messages.push({ id, role: messages.length % 2 === 0 ? 'user' : 'assistant', text: text.replace('*', '').trim(), at });
  };
  for (let turn = 0; turn < turns; turn++) {
    const here = planted.get(turn);
    if (here) for (const text of here.talk) say(text, turn, here.fact);
    else for (const text of [pick(lines), pick(replies)]) say(fill(text), turn);
  }
  const questions = facts.map(({ type, question }, i) => ({ type, question, evidence: evidence[i] ?? [] }));
  return { language, messages, questions };
}
