import type { ErrorInfo } from '../ports/error-info.ts';
import { type AnswerLanguage, describeError } from './describe-error.ts';

/**
 * Answer of a stopped run for an end user, in Korean or English. It ends with the code of the error, for support.
 *
 * @param reason Sentence in the same language. Default: `describeError(error)`.
 */
export const describeStop = (
  error: Pick<ErrorInfo, 'code' | 'data'>,
  { korean, reason = describeError(error, { korean }) }: AnswerLanguage & { readonly reason?: string },
): string => `${korean ? '실행이 중단되었습니다' : 'Execution stopped'}: ${reason} (${error.code})`;
