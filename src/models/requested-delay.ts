import { retryAfter } from '../core/util/retry-after.ts';

/**
 * Wait requested by a busy provider, in milliseconds; `undefined` without such a request. The first of these sources wins:
 * `retry-after-ms`, `Retry-After`, Google's `retryDelay`, "try again in 5.2s" in the message, `x-ratelimit-reset-*`.
 *
 * @param words The provider's original error message and body.
 */
export function requestedDelay(headers: Pick<Headers, 'get'>, words: string): number | undefined {
  return finerRetryAfter(headers) ?? retryAfter(headers) ?? durationIn(words) ?? resetIn(headers);
}

/** Reads OpenAI's `retry-after-ms`, which is finer than `Retry-After`. */
function finerRetryAfter(headers: Pick<Headers, 'get'>): number | undefined {
  const value = headers.get('retry-after-ms') ?? '';
  return /^\d{1,12}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

const inWords = [
  /"retryDelay"\s*:\s*"(?<duration>[\d.hms]+)"/,
  /\b(?:try again|retry) in (?<duration>\d[\d.hms]*)(?![\d.hms]|\s*(?:min|hour|day))/i,
];

function durationIn(words: string): number | undefined {
  for (const pattern of inWords) {
    const duration = parseDuration(pattern.exec(words)?.groups?.duration ?? '');
    if (duration !== undefined) return duration;
  }
  return undefined;
}

/** Returns the reset time of the exhausted rates; of all rates if none is marked as exhausted. */
function resetIn(headers: Pick<Headers, 'get'>): number | undefined {
  const rates = ['requests', 'tokens'].flatMap((name) => {
    const resetMs = parseDuration(headers.get(`x-ratelimit-reset-${name}`) ?? '');
    return resetMs === undefined ? [] : [{ resetMs, isUsedUp: headers.get(`x-ratelimit-remaining-${name}`) === '0' }];
  });
  const usedUp = rates.filter(({ isUsedUp }) => isUsedUp);
  const waits = (usedUp.length > 0 ? usedUp : rates).map(({ resetMs }) => resetMs);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

const duration =
  /^(?:(?<h>\d{1,6})h)?(?:(?<m>\d{1,6})m(?!s))?(?:(?<s>\d{1,9}(?:\.\d{1,12})?)(?:s|\.?$))?(?:(?<ms>\d{1,9}(?:\.\d{1,12})?)ms)?\.?$/;

/** Parses `120ms`, `1s`, `6m0s`, `2m59.56s`, `1h2m3s`; a plain number is in seconds. */
function parseDuration(text: string): number | undefined {
  const { h, m, s, ms } = (text === '' ? undefined : duration.exec(text)?.groups) ?? {};
  if (h === undefined && m === undefined && s === undefined && ms === undefined) return undefined;
  return Math.ceil(Number(h ?? 0) * 3_600_000 + Number(m ?? 0) * 60_000 + Number(s ?? 0) * 1_000 + Number(ms ?? 0));
}
