// What an error of `pg` means. SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html

/**
 * - `gone`: the connection, or the server, is not there for now: nobody knows what became of what was sent last
 * - `again`: the server has undone everything, because others were faster: it may be tried at once
 * - `other`: another attempt would end in the same way
 */
export type PostgresTrouble = 'gone' | 'again' | 'other';

/** A server that stops, starts, has no connection left, or has become a copy of another one. */
const goneStates = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006', '25P03']);
/** Serialization failure, deadlock, unique violation. */
const againStates = new Set(['40001', '40P01', '23505']);
const goneErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

export function troubleOf(cause: unknown): PostgresTrouble {
  const code = sqlStateOf(cause);
  if (againStates.has(code)) return 'again';
  if (goneStates.has(code) || goneErrors.has(code) || /^08/.test(code)) return 'gone';
  // pg's own errors have no code
  const isLost = cause instanceof Error && code === '' && /connection|timeout|not queryable/i.test(cause.message);
  const inner: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return isLost || inner.some((one) => troubleOf(one) === 'gone') ? 'gone' : 'other';
}

/** The five characters of an error of the server's, or the code of one of the system's; `''` for neither. */
export function sqlStateOf(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
