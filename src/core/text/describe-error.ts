import type { ErrorInfo } from '../ports/error-info.ts';

/**
 * Describes an error in one line: code, message and hint.
 *
 * @example describeError(toErrorInfo(error)) // 'TOOL_TIMEOUT: It took too long. Try again.'
 */
export const describeError = ({ code, message, hint }: ErrorInfo): string => [`${code}: ${message}`, hint].filter(Boolean).join(' ');
