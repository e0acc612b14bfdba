import { describe, expect, it } from 'vitest';
import { redactJson, redactSecrets } from '../../../../src/core/errors/redact-secrets.ts';

describe('redactSecrets', () => {
  it('removes a secret wherever it occurs', () => {
    expect(redactSecrets('a sk-12345678b, sk-12345678', ['sk-12345678'])).toBe('a [key]b, [key]');
  });

  it('removes the longer secret first', () => {
    expect(redactSecrets('sk-12345678-9', ['sk-12345678', 'sk-12345678-9'])).toBe('[key]');
  });

  it.each([
    ['a', 'a'],
    ['Incorrect API key provided: a.', 'Incorrect API key provided: [key].'],
    ['api_key=a&x=a', 'api_key=[key]&x=a'],
    ['{"token":"a","name":"a"}', '{"token":"[key]","name":"a"}'],
    ['Authorization: Bearer a', 'Authorization: Bearer [key]'],
    ['bearer a', 'bearer [key]'],
  ])('removes a short secret only where it is a whole value: %s', (text, shown) => {
    expect(redactSecrets(text, ['a'])).toBe(text === 'a' ? '[key]' : shown);
  });

  it.each([
    ['postgres://user:password@db/app', 'postgres://[secret]@db/app'],
    ['postgres://u:p@ss@h/db', 'postgres://[secret]@h/db'],
    ['redis://:pw@h:6379 failed', 'redis://[secret]@h:6379 failed'],
    ['mysql://u:p/w?#@h/db', 'mysql://[secret]@h/db'],
    ['postgres://user:passw… of 900', 'postgres://[secret]@… of 900'],
    ['https://0123456789abcdef@sentry.example/1', 'https://[secret]@sentry.example/1'],
    ['/?access_token=x&page=2', '/?access_token=[secret]&page=2'],
    ['/?key=abcdef12&q=1#top', '/?key=[secret]&q=1#top'],
    ['password: hunter2, then', 'password: [secret], then'],
    ['비밀번호: hunter2', '비밀번호: [secret]'],
    ['{"password":"Tr0ub4dor&3","n":1}', '{"password":"[secret]","n":1}'],
    ['{\\"apiKey\\":\\"abcdef\\"}', '{\\"apiKey\\":\\"[secret]\\"}'],
    ['Server=x;Password=a,b&c;User=u', 'Server=x;Password=[secret];User=u'],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG', 'AWS_SECRET_ACCESS_KEY=[secret]'],
    ['run --api-key abcd --json', 'run --api-key [secret] --json'],
    ['X-Api-Key: abcdef0123456789', 'X-Api-Key: [secret]'],
    ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic [secret]'],
    ['sent Bearer abc.def-123', 'sent Bearer [secret]'],
    ['Set-Cookie: sid=abc; Path=/\nnext', 'Set-Cookie: [secret]\nnext'],
    ['Wrong key: sk-ab***yz12', 'Wrong key: [secret]'],
    ['ghp_abcdefghijklmnop1234', '[secret]'],
    ['AKIAABCDEFGHIJKLMNOP', '[secret]'],
    ['ya29.a0AfH6SMBx1234567890abcdef', '[secret]'],
    ['a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def b', 'a [secret] b'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- end', '[secret] end'],
    ['-----BEGIN PRIVATE KEY-----\nabc', '[secret]'],
    ['POST https://hooks.slack.com/services/T0A1/B2C3/abcdefghij failed', 'POST https://hooks.slack.com/services/[secret] failed'],
    ['discord.com/api/webhooks/123/abcdefghijklmnop-_', 'discord.com/api/webhooks/123/[secret]'],
    ['https://api.telegram.org/bot123456:AAabcdefghijklmnop/getMe', 'https://api.telegram.org/bot[secret]/getMe'],
    ['Ocp-Apim-Subscription-Key: 0123abcd', 'Ocp-Apim-Subscription-Key: [secret]'],
    ['/?subscription-key=0123abcd&auth=0123abcd', '/?subscription-key=[secret]&auth=[secret]'],
    ['invalid x-api-key abcdef0123456789', 'invalid x-api-key [secret]'],
    ["password => 'hunter2'", "password => '[secret]'"],
    ['dapi0123456789abcdef0123456789abcdef', '[secret]'],
    ['hvs.abcdefghijklmnop01', '[secret]'],
  ])('removes a text that looks like a secret: %s', (text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
    expect(redactSecrets(shown)).toBe(shown);
  });

  it.each([
    'token: estimated',
    'price per token: 0.002',
    'token budget = 100000',
    '{"token":5}',
    'token=null',
    'the secret: patience',
    'password must have 8 characters',
    'Basic authentication is off',
    'bearer of bad news today',
    'task-12345678 of risk-assessment-2024',
    'http://localhost:4873/@scope/x',
    'ssh://git@github.com/x',
    'http://127.0.0.1:3000/#token=…',
    'serve --token TOKEN or --token=TOKEN',
    'src/token:12:5',
    'no API key was configured',
    'https://hooks.slack.com/docs',
  ])('keeps a text that does not look like a secret: %s', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it.each([
    'eyJ-',
    'a.',
    'a://b:c/',
    '://a@@',
    'token:',
    'token="',
    'token=\\"',
    'token=a,',
    '&a',
    'SG.abcdefghijklmnopq',
    'cookie:a',
    'bearer ',
    '--a-b-',
  ])('takes linear time: 300,000 characters of %s', (piece) => {
    expect(redactSecrets(piece.repeat(300_000 / piece.length))).not.toBe('');
  });

  it.each(['What a day.', 'a key and a token', 'tool_choice "none" is not known', 'key: another', 'Use an API key a second time'])(
    'keeps ordinary words: %s',
    (text) => {
      expect(redactSecrets(text, ['a', 'none', '', ' ', '.*'])).toBe(text);
    },
  );
});

describe('redactJson', () => {
  it('removes secrets from strings and from members with the name of a secret', () => {
    const value = { n: 1, at: ['postgres://u:p@h'], apiKey: 'abc', deep: { password: 'x', token: 'estimated' } };
    expect(redactJson(value)).toEqual({
      n: 1,
      at: ['postgres://[secret]@h'],
      apiKey: '[secret]',
      deep: { password: '[secret]', token: 'estimated' },
    });
  });
});
