// Classifies errors of `pg`. SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html

/**
 * - `gone`: the connection or server is unavailable for now; the result of the last statement is unknown
 * - `again`: a conflict made the server roll back everything; retry at once
 * - `other`: a retry would fail in the same way
 */
export type PostgresTrouble = 'gone' | 'again' | 'other';

/** Server is stopping or starting, has no free connection, or became a read-only replica. */
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
  // errors of `pg` itself have no code
  const isLost = cause instanceof Error && code === '' && /connection|timeout|not queryable/i.test(cause.message);
  const inner: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return isLost || inner.some((one) => troubleOf(one) === 'gone') ? 'gone' : 'other';
}

/** Returns the SQLSTATE of a server error (five characters), or the code of a system error; `''` for neither. */
export function sqlStateOf(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
