/**
 * Delay of the header `Retry-After` in milliseconds; `undefined` if it is unreadable. A date is relative to the response's own `Date`,
 * because the server's clock and ours differ.
 */
export function retryAfter(headers: Pick<Headers, 'get'>): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const delayMs = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}
