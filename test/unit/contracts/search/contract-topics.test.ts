import { readFile } from 'node:fs/promises';
import { createAnswerFinder, parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toCuePattern } from '../../../../src/contracts/search/cue-pattern.ts';
import { topicGuesser } from '../../../../src/contracts/search/guessed-topics.ts';
import { contractTopics } from '../../../../src/contracts/search/topics/contract-topics.ts';
import { tableIssues } from '../../../fixtures/table-issues.ts';

describe('toCuePattern', () => {
  it.each([
    ['assign* … (consent|approval)', 'shall not assign it without the prior consent of', true],
    ['assign* … (consent|approval)', 'shall not assign it. The consent of', false],
    ['assign* … (consent|approval)', 'assigns it (as of 4.1) with approval', true],
    ['exclusive right', 'the exclusive  right', true],
    ['exclusive right', 'a non-exclusive right', false],
    ['exclusive right', 'a non- exclusive right', false],
    ['set-?off', 'a right of setoff', true],
    ['set-?off', 'a right of set off', true],
    ["attorneys' fees", 'attorneys’ fees', true],
    ['lease', 'please', false],
    ['lease', 'leases', false],
    ['#%', 'at 12.5% a year', true],
    ['준거법', '준 거 법', false],
    ['관할 법원', '관할법원으로', true],
    ['관할 … 법원', '관할은 서울중앙지방법원으로', true],
    ['관할 … 법원', '관할은 없다. 법원은', false],
    ['a (b', 'a (b', 'throws'],
  ])('matches %j in %j: %j', (cue, text, expected) => {
    if (expected === 'throws') expect(() => toCuePattern(cue)).toThrow(SyntaxError);
    else expect(toCuePattern(cue).test(text)).toBe(expected);
  });
});

const cues = { type: 'array', items: { type: 'string', minLength: 1 } } as const;
const topicSchema = {
  type: 'object',
  properties: {
    en: { type: 'string', pattern: '^[ -~]+$' },
    ko: { type: 'string', pattern: '[가-힣]' },
    general: { const: true },
    many: { const: true },
    examples: { ...cues, minItems: 1 },
    asks: { ...cues, minItems: 1 },
    settles: { ...cues, minItems: 1 },
    touches: cues,
    not: { ...cues, minItems: 1 },
  },
  required: ['en', 'ko', 'asks', 'settles', 'touches'],
} as const;

describe('contractTopics', () => {
  it('match the schema of topics', () => {
    expect(tableIssues(contractTopics, { type: 'array', items: topicSchema })).toEqual([]);
  });

  it('have four examples or more in each language, each of one topic', () => {
    const examples = contractTopics.flatMap((topic) => topic.examples ?? []);
    expect(new Set(examples).size).toBe(examples.length);
    const few = contractTopics.filter(({ examples: own = [] }) => {
      const korean = own.filter((example) => /[가-힣]/.test(example)).length;
      return korean < 4 || own.length - korean < 4;
    });
    expect(few.map(({ en }) => en)).toEqual([]);
  });

  it('are found by their words as if each cue was tried', async () => {
    const rows = (await readFile('benchmarks/retrieval/silence/questions.jsonl', 'utf8')).split('\n').filter((line) => line !== '');
    const queries = rows.map((line) => z.object({ query: z.string() }).parse(JSON.parse(line)).query);
    const finder = await createAnswerFinder(parseContract({ name: 'a.md', text: '제1조(목적) 목적을 정한다.' }));
    // a question that states a value is asked without it
    const asked = [...queries, ...contractTopics.flatMap(({ examples = [] }) => examples)].filter((query) => !/\d/.test(query));
    for (const query of asked) {
      const matching = contractTopics.filter(({ asks }) => asks.some((cue) => toCuePattern(cue).test(query)));
      const left = matching.filter(({ en }) => !matching.some(({ not = [] }) => not.includes(en)));
      const particular = left.filter(({ general }) => !general);
      expect(finder.find(query).topics, query).toEqual((particular.length > 0 ? particular : left).map(({ en }) => en));
    }
  });

  it('are guessed for each example that is left out: its own topic is among three', () => {
    const lost: string[] = [];
    const most = Math.max(...contractTopics.map(({ examples = [] }) => examples.length));
    for (let out = 0; out < most; out++) {
      // one example of each topic at a time: a table of its own for each would take seconds
      const guess = topicGuesser(
        contractTopics.map((topic) => ({ ...topic, examples: topic.examples?.filter((_, i) => i !== out) ?? [] })),
      );
      for (const { en, examples = [] } of contractTopics) {
        const example = examples[out];
        if (example !== undefined && !guess(example).some((topic) => topic.en === en)) lost.push(`${en}: ${example}`);
      }
    }
    expect(lost).toEqual([]);
  });

  it('have unique names in each language, and rule out only existing topics, never each other', () => {
    const names = new Map(contractTopics.map((topic) => [topic.en, topic]));
    expect(names.size).toBe(contractTopics.length);
    expect(new Set(contractTopics.map(({ ko }) => ko)).size).toBe(contractTopics.length);
    expect(contractTopics.length).toBeGreaterThanOrEqual(60);
    for (const { en, not = [] } of contractTopics) {
      for (const other of not) {
        expect(names.has(other), `${en}: ${other}`).toBe(true);
        expect(names.get(other)?.not ?? [], `${en} and ${other} rule out each other`).not.toContain(en);
      }
    }
  });

  it.each(contractTopics)('have specific cues for $en in English and in Korean', (topic) => {
    for (const cues of [topic.asks, topic.settles]) {
      expect(cues.some((cue) => /[가-힣]/.test(cue))).toBe(true);
      expect(cues.some((cue) => !/[가-힣]/.test(cue))).toBe(true);
    }
    for (const cue of [...topic.asks, ...topic.settles, ...topic.touches]) {
      expect(toCuePattern(cue).test('')).toBe(false);
      expect(toCuePattern(cue).test('It is blue and stands in the garden. 정원에 파란 꽃이 피었다.'), cue).toBe(false);
    }
  });
});
