import { documentsNeeded, modelNeeded } from './model-needed.ts';

export interface ModestAnswerOptions {
  readonly korean: boolean;
  /** Statement that the open documents contain nothing. Absent if there was no search. */
  readonly notFound?: string;
}

/** Returns one sentence: rules cannot know this, and what would help. */
export function modestAnswer({ korean, notFound }: ModestAnswerOptions): string {
  const sentence = korean ? `이 말씀에 답하려면 ${modelNeeded.korean}` : `Answering this ${modelNeeded.english}`;
  if (notFound === undefined) return `${sentence}.`;
  return `${notFound} ${sentence}${korean ? `, 아니면 ${documentsNeeded.korean}` : `, or ${documentsNeeded.english}`}.`;
}
