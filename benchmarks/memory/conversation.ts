import { estimateTokens } from 'agent-machines/memory';

/** Length of a user's message and of the answer to it, in estimated tokens. */
export const messageSizes = { short: 25, medium: 150, long: 1_000 } as const;

export type MessageSize = keyof typeof messageSizes;

const words =
  '일정 회의 고객 보고서 예산 계약 배포 검토 담당자 내일 오전 결과 정리 요청 자료 준비 승인 변경 확인 공유 the plan was moved to next week because two people are away and the budget is not approved yet'.split(
    ' ',
  );

/** A text of about that many tokens, the same for the same seed: Korean and English words, and a number now and then. */
export function textOf(tokens: number, seed: number): string {
  let state = seed * 2_654_435_761 + 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  let text = '';
  while (estimateTokens(text) < tokens) text += `${text === '' ? '' : ' '}${next(9) === 0 ? next(10_000) : words[next(words.length)]}`;
  return `${text}.`;
}
