import { checkText } from 'agent-machines';
import { expect, it } from 'vitest';

const options = { max: 1_000, hint: 'Give a name.' };

it.each(['a', ' a ', 'a'.repeat(1_000)])('returns a valid text unchanged: %#', (text) => {
  expect(checkText('name', text, options)).toBe(text);
});

it.each([[''], [' \n\t'], ['a'.repeat(1_001)], [undefined], [null], [5], [['a']], [new String('a')]])(
  'refuses an invalid text: %#',
  (value) => {
    expect(() => checkText('name', value, options)).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: 'The name is not a text of 1 to 1,000 characters.',
        hint: 'Give a name.',
      }),
    );
  },
);
