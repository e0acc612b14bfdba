import type { WindowState } from './window-state.ts';

/**
 * Renders summaries for a prompt, each under `[대화 기록 N]`; the oldest is 1. The newest includes the user's facts in the user's own words,
 * unless a summary contains them. Returns an empty string without summaries and facts.
 *
 * @example renderSummaries(state) // '[대화 기록 1]\n사용자는 철수입니다.\n\n[대화 기록 2]\n…'
 */
export function renderSummaries({ summaries, facts }: Pick<WindowState, 'summaries' | 'facts'>): string {
  const texts = summaries.map(({ text }) => text).filter((text) => text !== '');
  const unsaid = facts.filter((fact) => !texts.some((text) => text.includes(fact.text)));
  const carried = unsaid.length === 0 ? [] : [['사용자가 말한 내용:', ...unsaid.map(({ text }) => `- ${text}`)].join('\n')];
  const last = [...texts.slice(-1), ...carried].join('\n');
  return [...texts.slice(0, -1), ...(last === '' ? [] : [last])].map((text, i) => `[대화 기록 ${i + 1}]\n${text}`).join('\n\n');
}
