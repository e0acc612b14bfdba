import { maskSecrets } from 'agent-machines/guards';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePersonalTexts } from '../../../fixtures/personal-texts/made.ts';
import second from '../../../fixtures/personal-texts/second.json' with { type: 'json' };
import unseen from '../../../fixtures/personal-texts/unseen.json' with { type: 'json' };
import { share } from '../../../fixtures/share.ts';

const context = { border: 'answer', signal: new AbortController().signal } as const;
const guard = maskSecrets({ secrets: ['Zq7-canary'] });
const checked = (text: string): string => {
  const verdict = guard.check(text, context);
  if (verdict instanceof Promise || (verdict.as !== 'pass' && verdict.as !== 'mask')) throw new Error('another verdict');
  return verdict.as === 'mask' ? verdict.text : text;
};
const streamed = (text: string, sizes: readonly number[]): string => {
  const stream = guard.stream?.(context);
  if (!stream) throw new Error('no stream');
  let shown = '';
  let at = 0;
  for (let turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    shown += String(stream.push(text.slice(at, at + size)));
    at += size;
  }
  return shown + String(stream.end());
};

const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n\nIBAAK\n-----END RSA PRIVATE KEY-----';
const odd = [
  pem,
  `${pem} and more\nafter`,
  '-----BEGIN PRIVATE KEY-----\nabc\nnever ends',
  'api key: abcd1234!x and on',
  'the api\nkey: abcd1234!x',
  'password = "two words" end',
  'Cookie: session=abc; theme=dark\nnext',
  'Bearer   abcdefghij0123456789 ok',
  '--token abcdefgh x',
  'postgres://u:p@ss w@host/db',
  'my Zq7-canary is known',
  '{"password":"hunter2","n":1}',
  '[{"cookie":"x"}]',
  '[a link](https://example.com) and token=abcdefgh1',
  'no secret here, only a long line of prose that goes on and on without end ',
  '비밀번호: hunter2! 입니다',
];
const texts = [
  ...odd,
  ...[...second.values, ...unseen.values].map(({ text }) => text),
  ...makePersonalTexts(20, 3).map(({ text }) => text),
];

describe('maskSecrets', () => {
  it('removes known secrets, members by name, and keys', () => {
    expect(checked('my Zq7-canary')).toBe('my [key]');
    expect(checked('{"cookie":"x","n":12345678901234567890}')).toContain('"cookie":"[secret]"');
    expect(checked('{"text":"a\\nsk-proj-abcdefgh12345678"}')).toBe('{"text":"a\\n[secret]"}');
    expect(checked(`${'QUJD'.repeat(60)}`)).toBe('QUJD'.repeat(60));
  });

  it('shows the words of a line before its end, unless a secret may begin', () => {
    const stream = guard.stream?.(context);
    expect(stream?.push('The quick brown fox ')).toBe('The quick brown ');
    expect(stream?.push('jumps')).toBe('');
    expect(stream?.push(' over the password ')).toBe('');
    expect(stream?.push(': hunter2\nand')).toBe('fox jumps over the password : [secret]\n');
    expect(stream?.end()).toBe('and');
  });

  it('shows the text of a whole check, however its stream is split', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });
    const joins = fc.constantFrom('', ' ', '\n', '\n\n', ', ');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 4 }), joins, sizes, (parts, join, split) => {
        const text = parts.join(join);
        expect(streamed(text, split)).toBe(checked(text));
      }),
      { numRuns: share(25_000) },
    );
  });
});
