import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../../src/util/redact-secrets.ts';

describe('redactSecrets', () => {
  it('takes a secret out wherever it stands', () => {
    expect(redactSecrets('a sk-12345678b, sk-12345678', ['sk-12345678'])).toBe('a [key]b, [key]');
  });

  it('takes the longer one out first', () => {
    expect(redactSecrets('sk-12345678-9', ['sk-12345678', 'sk-12345678-9'])).toBe('[key]');
  });

  it.each([
    ['a', 'a'],
    ['Incorrect API key provided: a.', 'Incorrect API key provided: [key].'],
    ['api_key=a&x=a', 'api_key=[key]&x=a'],
    ['{"token":"a","name":"a"}', '{"token":"[key]","name":"a"}'],
    ['Authorization: Bearer a', 'Authorization: Bearer [key]'],
    ['bearer a', 'bearer [key]'],
  ])('takes a short one out only where it stands alone as a value: %s', (text, shown) => {
    expect(redactSecrets(text, ['a'])).toBe(text === 'a' ? '[key]' : shown);
  });

  it.each(['What a day.', 'a key and a token', 'tool_choice "none" is not known', 'key: another', 'Use an API key a second time'])(
    'leaves ordinary words alone: %s',
    (text) => {
      expect(redactSecrets(text, ['a', 'none', '', ' ', '.*'])).toBe(text);
    },
  );
});
