import { describe, expect, it } from 'vitest';
import { compileMistakes, otherMistakes, pointedMistakes } from '../../../fixtures/beginner-mistakes.ts';

const errors = await compileMistakes('node_modules/typescript/bin/tsc');
const placesOf = (name: string, places: readonly string[]): readonly string[] =>
  (errors.get(name) ?? []).map(({ at }, index) => at.slice(0, places[index]?.length ?? 40));

describe('compiler errors of a workflow', () => {
  it('has none without a mistake', () => {
    expect(errors.get('none')).toEqual([]);
  });

  it.each(pointedMistakes)('points at the wrong word: $name', ({ name, at, says }) => {
    expect(placesOf(name, at)).toEqual(at);
    expect(errors.get(name)?.[0]?.message).toContain(says);
  });

  it.each(otherMistakes)('reports as before: $name', ({ name, at }) => {
    expect(placesOf(name, at)).toEqual(at);
  });
});
