import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import type { RunResult } from './run.ts';

/** Result as journals store it: the end in a final state tagged `failure` is `done` with a `failure`. */
export type SettledRun<TOutput> =
  | Exclude<RunResult<TOutput>, { readonly status: 'done' | 'failed' }>
  | { readonly status: 'done'; readonly finalState: string; readonly output: TOutput; readonly failure?: ErrorInfo }
  | { readonly status: 'failed'; readonly error: ErrorInfo };

/**
 * Converts a stored result to the one that users see. Keeps the error object itself, because its stack is known by identity.
 *
 * @param usage Sum over all model calls of the run.
 */
export function toResult<TOutput>(settled: SettledRun<TOutput>, usage?: TokenUsage): RunResult<TOutput> {
  const reported = usage && usage.inputTokens + usage.outputTokens > 0 ? { usage } : {};
  if (settled.status === 'failed') return { ...settled, resumable: true, ...reported };
  if (settled.status !== 'done' || !settled.failure) return { ...settled, ...reported };
  const { finalState, output, failure } = settled;
  return { status: 'failed', error: failure, resumable: false, finalState, output, ...reported };
}
