import { describe, expect, it } from 'vitest';
import { measureDetection } from '../../../fixtures/personal-texts/find-values.ts';
import { makePersonalTexts } from '../../../fixtures/personal-texts/made.ts';
import second from '../../../fixtures/personal-texts/second.json' with { type: 'json' };
import unseen from '../../../fixtures/personal-texts/unseen.json' with { type: 'json' };

const textsOf = ({ values, clean }: typeof second) => [...values, ...clean.map((text) => ({ text }))];
const sumsOf = (list: typeof second) => {
  const { wrong } = measureDetection(textsOf(list));
  const missed = wrong.filter((line) => line.startsWith('missed')).length;
  return { found: list.values.length - missed, falseAlarms: wrong.length - missed };
};

describe('the detectors of personal data and secrets', () => {
  it('have a recall of .99 and a precision of .98 for each kind of made texts', () => {
    const { kinds } = measureDetection(makePersonalTexts(600, 1));
    expect(kinds).toHaveLength(7);
    for (const { kind, recall, precision } of kinds) {
      expect([kind, recall >= 0.99]).toEqual([kind, true]);
      expect([kind, precision >= 0.98]).toEqual([kind, true]);
    }
  });

  it('find 38 of 41 values of the second list, and nothing in its 33 clean texts', () => {
    expect([second.values.length, second.clean.length]).toEqual([41, 33]);
    expect(sumsOf(second)).toEqual({ found: 38, falseAlarms: 0 });
  });

  // written with a summary of the rules in view, but not their code. It chose no rule, and only showed that a change had lost one form
  // (`031) 555-0147`): do not add rules for its texts
  it('find 51 of 58 values of the unseen list, and 2 false alarms in its 50 clean texts', () => {
    expect([unseen.values.length, unseen.clean.length]).toEqual([58, 50]);
    expect(sumsOf(unseen)).toEqual({ found: 51, falseAlarms: 2 });
  });
});
