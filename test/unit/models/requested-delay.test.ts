import { describe, expect, it } from 'vitest';
import { requestedDelay } from '../../../src/models/requested-delay.ts';

const date = 'Sun, 22 Nov 2026 10:00:00 GMT';

describe('requestedDelay', () => {
  it.each<[string, Record<string, string>, string, number | undefined]>([
    ['retry-after-ms', { 'retry-after-ms': '120.5', 'retry-after': '9' }, '', 120.5],
    ['Retry-After in seconds', { 'retry-after': '7' }, 'Please try again in 3s.', 7_000],
    ['Retry-After as a date', { date, 'retry-after': 'Sun, 22 Nov 2026 10:00:30 GMT' }, '', 30_000],
    ['retryDelay of Gemini', {}, '[{"error":{"details":[{"@type":"x/RetryInfo","retryDelay":"51.5s"}]}}]', 51_500],
    ['words of Groq', { 'x-ratelimit-reset-tokens': '9s' }, 'Limit 15000, Used 11972. Please try again in 5.289s. Visit x', 5_289],
    ['words with minutes', {}, 'Please try again in 2m59.56s.', 179_560],
    ['words with milliseconds', {}, 'Please try again in 20ms.', 20],
    ['words in full', {}, 'Try again in 30 seconds.', 30_000],
    ['words of minutes alone', {}, 'Try again in 15 minutes.', undefined],
    ['one reset', { 'x-ratelimit-reset-requests': '1s' }, '', 1_000],
    ['resets of minutes', { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, '', 360_000],
    ['a reset of milliseconds', { 'x-ratelimit-reset-tokens': '120ms' }, '', 120],
    ['a reset of hours', { 'x-ratelimit-reset-tokens': '1h2m3.5s' }, '', 3_723_500],
    ['a reset in plain seconds', { 'x-ratelimit-reset-tokens': '12' }, '', 12_000],
    [
      'the reset of the rate that is used up',
      {
        'x-ratelimit-reset-requests': '2s',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-tokens': '6m0s',
        'x-ratelimit-remaining-tokens': '999',
      },
      '',
      2_000,
    ],
    ['nothing', {}, 'Slow down.', undefined],
    ['invalid times', { 'retry-after': 'soon', 'x-ratelimit-reset-tokens': 'm', 'x-ratelimit-reset-requests': '-1s' }, '', undefined],
  ])('reads %s', (_, headers, words, waitMs) => {
    expect(requestedDelay(new Headers(headers), words)).toBe(waitMs);
  });
});
