import { recall } from 'agent-machines/memory';
import { contentWords, searchTokens } from 'agent-machines/search';
import { type LongTalk, longTalk, type RecallQuestion, type TalkLanguage } from './long-talk.ts';
import { type TalkPart, writtenTalk } from './written-talk.ts';

/** How much of what answers a question is visible, 0 to 1, of each type and of all. */
export interface RecallFigure {
  readonly language: TalkLanguage;
  readonly maxTokens: number;
  readonly visible: Readonly<Record<RecallQuestion['type'] | 'all', number>>;
  readonly questions: number;
  /** Of the questions that share a word with what answers them or stands next to it. */
  readonly sharedWords: number;
  readonly microseconds: number;
}

/** Seeds of the made-up conversations on which constants were chosen, and of those on which they were only checked. */
const seeds = { development: [1, 2, 3], check: [11, 12, 13] } as const;

/** Talks written by hand with the questions that people ask about such; or made-up ones whose questions share no word with the answer. */
export type TalkKind = 'written' | 'other words';

export const talksOf = (kind: TalkKind, part: TalkPart, language: TalkLanguage, turns: number): readonly LongTalk[] =>
  kind === 'written' ? [writtenTalk(language, part, turns)] : seeds[part].map((seed) => longTalk(language, turns, seed));

export function measureRecall(talks: readonly LongTalk[], maxTokens: number): RecallFigure {
  const shares: { readonly type: RecallQuestion['type']; readonly share: number; readonly shares: boolean }[] = [];
  let elapsed = 0;
  for (const talk of talks) {
    recall({ query: 'hello', transcript: talk.messages, maxTokens });
    for (const { type, question, evidence } of talk.questions) {
      const begun = performance.now();
      const { messageIds } = recall({ query: question, transcript: talk.messages, maxTokens });
      elapsed += performance.now() - begun;
      shares.push({
        type,
        share: evidence.filter((id) => messageIds.includes(id)).length / evidence.length,
        shares: sharesWord(talk, question, evidence),
      });
    }
  }
  const mean = (type?: RecallQuestion['type']): number => {
    const some = shares.filter((one) => type === undefined || one.type === type);
    return some.reduce((sum, { share }) => sum + share, 0) / some.length;
  };
  return {
    language: talks[0]?.language ?? 'english',
    maxTokens,
    visible: {
      'single-hop': mean('single-hop'),
      temporal: mean('temporal'),
      'multi-hop': mean('multi-hop'),
      open: mean('open'),
      all: mean(),
    },
    questions: shares.length,
    sharedWords: ((some) => some.reduce((sum, { share }) => sum + share, 0) / some.length)(shares.filter((one) => one.shares)),
    microseconds: Math.round((elapsed / shares.length) * 1_000),
  };
}

/** Whether words alone could find it: a content word of the question stands in every piece of evidence or beside it. */
function sharesWord({ messages }: LongTalk, question: string, evidence: readonly string[]): boolean {
  const asked = new Set(searchTokens(contentWords(question)));
  return evidence.every((id) => {
    const at = messages.findIndex((message) => message.id === id);
    const near = messages.slice(Math.max(0, at - 2), at + 3).map(({ text }) => text);
    return searchTokens(near.join(' ')).some((token) => asked.has(token));
  });
}
