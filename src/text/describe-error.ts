import type { ErrorInfo } from '../ports/error-info.ts';

/**
 * An error in one line: its code, its message and what to do about it.
 *
 * @example describeError(toErrorInfo(error)) // 'TOOL_TIMEOUT: It took too long. Try again.'
 */
export const describeError = ({ code, message, hint }: ErrorInfo): string => [`${code}: ${message}`, hint].filter(Boolean).join(' ');
