// Questions about the shipped examples, in English and Korean, without a model. See `test/fixtures/english-twins.json`.
import { describe, expect, it } from 'vitest';
import { openTwins, twins, type Verdict } from '../fixtures/english-twins.ts';
import { otherLanguageIn } from '../fixtures/one-language.ts';

const ask = await openTwins();
const verdicts = async (half: string, language: 'en' | 'ko'): Promise<Verdict[]> =>
  Promise.all(twins.filter((twin) => twin.half === half).map(async (twin) => (await ask(twin, language)).verdict));
const count = (found: readonly Verdict[], verdict: Verdict): number => found.filter((one) => one === verdict).length;

describe('English questions', () => {
  // counted on 2026-11-28, after the rules were mended on the seen half
  it.each([
    ['seen', 19, 0],
    ['unseen', 14, 1],
  ])('of the %s half are answered as well as their Korean twins', async (half, well, wrong) => {
    const [english, korean] = [await verdicts(half, 'en'), await verdicts(half, 'ko')];
    expect(count(english, 'well')).toBeGreaterThanOrEqual(Math.max(well, count(korean, 'well')));
    expect(count(english, 'wrong')).toBeLessThanOrEqual(wrong);
  });

  it.each(twins.map((twin) => [twin.en.join(' '), twin] as const))('are answered in English: %s', async (_question, twin) => {
    const { answer } = await ask(twin, 'en');
    expect(
      otherLanguageIn(answer.replaceAll(/(?<=^ *Use: \w+ )\(.*\)$|(?<=^\w+ )\([^)]*\)(?=: )/gm, ''), { korean: false }),
    ).toBeUndefined();
  });
});
