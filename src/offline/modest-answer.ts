export interface ModestAnswerOptions {
  readonly korean: boolean;
  /** What was looked for in documents that are open, and not found; absent: nothing was looked for. */
  readonly notFound?: string;
}

/** One sentence: rules cannot know this, and what would help. */
export function modestAnswer({ korean, notFound }: ModestAnswerOptions): string {
  const silent = notFound === undefined ? '' : korean ? `${notFound} ` : `${notFound} `;
  return korean
    ? `${silent}이 말씀에 답하려면 언어 모델이 필요합니다(OPENAI_API_KEY 또는 --base-url)${notFound === undefined ? '' : ', 아니면 그 내용이 있는 문서가(--docs)'}.`
    : `${silent}Answering this needs a language model (OPENAI_API_KEY or --base-url)${notFound === undefined ? '' : ', or documents that tell it (--docs)'}.`;
}
