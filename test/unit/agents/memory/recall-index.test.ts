import { recall, type TranscriptMessage } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestBelow, createRecallIndex, type RecallIndex } from '../../../../src/agents/memory/recall-index.ts';
import table from '../../../../src/agents/memory/related-speech.json' with { type: 'json' };
import { relatedTokens } from '../../../../src/agents/memory/related-speech.ts';
import { speechTokens } from '../../../../src/agents/memory/speech-tokens.ts';
import { codePoint } from '../../../fixtures/code-point.ts';
import { tableIssues } from '../../../fixtures/table-issues.ts';

const word = fc.constantFrom('dog', 'went', 'Oslo', '강아지', '다쳤어', 'blue', 'a'.repeat(700));
const talk = fc.array(fc.tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.nat(90)), { maxLength: 12 }).map((lines) => {
  let at = 0;
  return lines.map(([words, minutes], i): TranscriptMessage => {
    at += minutes * 60_000;
    return { id: `m${i}`, role: i % 2 === 0 ? 'user' : 'assistant', text: words.join(' '), at };
  });
});

describe('createRecallIndex', () => {
  it('scores like a new index after it has followed other transcripts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(talk, fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 5 }), (steps) => {
        const index = createRecallIndex('UTC');
        for (const [transcript, front, back] of steps) {
          for (const part of [transcript, transcript.slice(front), transcript.slice(front, -back || undefined), transcript]) {
            index.follow(part);
            const fresh = createRecallIndex('UTC');
            fresh.follow(part);
            const terms = new Map([
              ['dog', 1],
              ['go', 0.5],
              ['강아', 1],
            ]);
            expect([...index.score(terms)]).toEqual([...fresh.score(terms)]);
            expect(index.passages.map(({ text, date }) => [text, date])).toEqual(fresh.passages.map(({ text, date }) => [text, date]));
            expect(index.chars).toBe(part.reduce((sum, { text }) => sum + text.length, 0));
            expect(['dog', 'go', '강아'].map(index.found)).toEqual(['dog', 'go', '강아'].map(fresh.found));
          }
        }
      }),
    );
  });

  it('scores like a plain sum over all passages and words', () => {
    const weights = fc.array(
      fc.tuple(fc.constantFrom('dog', 'go', 'oslo', '강아', 'blue', 'none'), fc.double({ min: 0.1, max: 2, noNaN: true })),
    );
    fc.assert(
      fc.property(talk, weights, weights, (transcript, first, second) => {
        const index = createRecallIndex('UTC');
        index.follow(transcript);
        const [terms, more] = [new Map(first), new Map(second.filter(([term]) => !first.some(([other]) => other === term)))];
        const scores = index.score(more, index.score(terms));
        const plain = plainScores(index, [...terms, ...more]);
        for (const [i, score] of plain.entries()) expect(scores[i]).toBeCloseTo(score, 9);
      }),
    );
  });

  it('keeps the passages of known messages when a turn adds two and evicts one', () => {
    const messages = Array.from({ length: 400 }, (_, i): TranscriptMessage => ({ id: `m${i}`, role: 'user', text: `dog ${i}`, at: i }));
    const index = createRecallIndex('UTC');
    index.follow(messages.slice(0, 300));
    for (let turn = 1; turn <= 50; turn++) {
      const before = new Set(index.passages);
      index.follow(messages.slice(turn, 300 + 2 * turn).map((message) => ({ ...message })));
      expect(index.passages.filter((passage) => !before.has(passage)).map(({ message }) => message.id)).toEqual([
        `m${298 + 2 * turn}`,
        `m${299 + 2 * turn}`,
      ]);
    }
  });

  it('finds the same after recalls from other conversations with equal ids', () => {
    const said = (text: string): readonly TranscriptMessage[] => [{ id: 'm0', role: 'user', text, at: 0 }];
    const ask = (text: string): readonly string[] => recall({ query: 'Oslo', transcript: said(text), maxTokens: 100 }).messageIds;
    expect([ask('I fly to Oslo.'), ask('I stay.'), ask('I fly to Oslo.')]).toEqual([['m0'], [], ['m0']]);
  });
});

/** BM25 of each passage, with its words and those of its neighbours, summed term by term. */
function plainScores({ passages }: RecallIndex, terms: readonly (readonly [term: string, weight: number])[]): readonly number[] {
  const words = passages.map(({ text }) => speechTokens(`${text} 1970 January 1 Thursday 1월 1일`)); // the day of every message of a talk
  const shareAt = (i: number, j: number): number =>
    passages[i]?.session === passages[j]?.session ? ([1, 0.4, 0.2][Math.abs(i - j)] ?? 0) : 0;
  const near = (i: number, of: (j: number) => number): number => passages.reduce((sum, _, j) => sum + shareAt(i, j) * of(j), 0);
  const countOf = (j: number, term: string): number => (words[j] ?? []).filter((word) => word === term).length;
  const lengths = passages.map((_, i) => near(i, (j) => words[j]?.length ?? 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return passages.map((_, i) =>
    terms.reduce((sum, [term, weight]) => {
      const having = words.filter((all) => all.includes(term)).length;
      const count = near(i, (j) => countOf(j, term));
      const gain = weight * Math.log(1 + (words.length - having + 0.5) / (having + 0.5)) * 2.2;
      return count === 0 ? sum : sum + (gain * count) / (count + 1.2 * (0.25 + (0.75 * (lengths[i] ?? 0)) / mean));
    }, 0),
  );
}

describe('bestBelow', () => {
  it('visits accepted scores in the order of a sort: the highest first, then the newest', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -1, max: 4 }), fc.boolean())), (places) => {
        const scores = Float64Array.from(places, ([score]) => score);
        const visited: number[] = [];
        for (let i = bestBelow(scores, undefined, accepts); i !== undefined; i = bestBelow(scores, i, accepts)) visited.push(i);
        function accepts(i: number): boolean {
          return places[i]?.[1] === true;
        }
        const sorted = [...places.keys()].filter((i) => accepts(i) && (scores[i] ?? 0) > 0);
        expect(visited).toEqual(sorted.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a));
      }),
    );
  });
});

describe('recall beyond the words of a message', () => {
  const messages = (...lines: readonly string[]): readonly TranscriptMessage[] =>
    lines.map((text, i) => ({ id: `m${i}`, role: 'user', text, at: i * 7_200_000 }));

  it.each([
    ['Where did I go in May?', 'We went to Bergen.'],
    ['What did I buy?', 'I bought a telescope.'],
    ['what happened on 8th March', 'On the 8 of Mar it snowed.'],
    ['who has three children', 'The Nowaks have 3 kids.'],
    ['is my wife on holiday', 'My spouse takes a vacation.'],
    ['어쩌다 다쳤지?', '계단에서 다쳐서 병원에 왔다.'],
    ['뭘 샀어?', '망원경을 사서 왔다.'],
    ['벌은 누가 돌봐?', '벌이 도망갔다.'],
    ['남편 직업이 뭐야?', '배우자는 직장이 멀다.'],
  ])('%s finds: %s', (query, answer) => {
    const transcript = messages('The garden is green.', '정원이 푸르다.', answer, 'Nothing new.', '별일 없다.');
    expect(recall({ query, transcript, maxTokens: 25 }).messageIds).toContain('m2');
  });

  it('matches and shows the speaker', () => {
    const said = (speaker: string, text: string, i: number): TranscriptMessage => ({
      id: `m${i}`,
      role: 'user',
      speaker,
      text,
      at: i * 7_200_000,
    });
    const transcript = [said('Dana', 'I run every day.', 0), said('Reuben', 'I run on Sundays.', 1), said('Olive', 'Me too.', 2)];
    expect(recall({ query: 'How often does Reuben run?', transcript, maxTokens: 25 }).text).toContain('Reuben: I run on Sundays.');
  });

  it('ranks dates first for "when" and numbers first for "how many"', () => {
    const transcript = messages(
      'The fair is noisy.',
      'The fair is on 17 May.',
      'A nice fair.',
      'Chairs are dear.',
      'We need forty chairs.',
      'Old chairs.',
    );
    expect(recall({ query: 'when is the fair', transcript, maxTokens: 25 }).messageIds).toEqual(['m1']);
    expect(recall({ query: 'how many chairs', transcript, maxTokens: 25 }).messageIds).toEqual(['m4']);
  });
});

describe('speechTokens', () => {
  it.each([
    ['went gone goes going', 'go'],
    ['children kids', 'child'],
    ['seven 7th', '7'],
    ['Sept September', 'september'],
  ])('maps to one token: %s', (text, token) => {
    expect(new Set(speechTokens(text))).toEqual(new Set(speechTokens(token)));
  });

  it.each([
    ['다쳤어', '다쳐서'],
    ['배웠던', '배우고'],
    ['걸렸다', '걸려서'],
    ['정했지', '정하자'],
    ['그만뒀어', '그만두고'],
    ['갔어', '가서'],
    ['봤지', '보고'],
  ])('gives %s and %s a common stem', (past, other) => {
    const tokens = new Set(speechTokens(past));
    expect(speechTokens(other).some((token) => tokens.has(token))).toBe(true);
  });

  it('returns no empty token for any text', () => {
    fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => speechTokens(text).every((token) => token !== '')));
  });
});

describe('relatedTokens', () => {
  it('reads a table of pairs of English and Korean words', () => {
    const words = (letters: string) => ({ type: 'string', pattern: `^[${letters}]+( [${letters}]+)*$` });
    const pair = { type: 'array', prefixItems: [words('a-z-'), words('가-힣')], minItems: 2, maxItems: 2 };
    expect(tableIssues(table, { type: 'array', items: pair, uniqueItems: true })).toEqual([]);
  });

  it('returns related tokens without the given ones', () => {
    const related = relatedTokens(speechTokens('puppy'));
    expect([related.has('dog'), related.has('강아'), related.has('puppi')]).toEqual([true, true, false]);
    expect(relatedTokens(speechTokens('quantum chromodynamics')).size).toBe(0);
  });
});
