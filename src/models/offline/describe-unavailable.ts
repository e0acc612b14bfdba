import type { AnswerLanguage } from '../../core/text/describe-error.ts';
import { isKorean } from '../../core/text/is-korean.ts';

/**
 * Describes why a tool is unavailable, in the language of the answer. A Korean answer names the flags and keys in an English reason.
 *
 * @example describeUnavailable('TAVILY_API_KEY is not set.', { korean: true }) // 'TAVILY_API_KEY 설정이 필요합니다.'
 */
export function describeUnavailable(reason: string, { korean }: AnswerLanguage): string {
  if (isKorean(reason) === korean) return reason;
  const names = reason.match(/--[a-z][\w-]*|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|(?<=")@?[\w/-]+(?=")/gu) ?? [];
  if (!korean) return 'It is not available.';
  return names.length === 0 ? '지금은 쓸 수 없는 도구입니다.' : `${[...new Set(names)].join(', ')} 설정이 필요합니다.`;
}
