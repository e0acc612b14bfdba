import { documentsNeeded, modelNeeded } from './model-needed.ts';

export interface ModestAnswerOptions {
  readonly korean: boolean;
  /** What was looked for in documents that are open, and not found; absent: nothing was looked for. */
  readonly notFound?: string;
}

/** One sentence: rules cannot know this, and what would help. */
export function modestAnswer({ korean, notFound }: ModestAnswerOptions): string {
  const said = korean ? `이 말씀에 답하려면 ${modelNeeded.korean}` : `Answering this ${modelNeeded.english}`;
  if (notFound === undefined) return `${said}.`;
  return `${notFound} ${said}${korean ? `, 아니면 ${documentsNeeded.korean}` : `, or ${documentsNeeded.english}`}.`;
}
