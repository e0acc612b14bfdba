import type { ReactNode } from 'react';
import type { AnswerState } from '../state/studio-state.ts';
import { useWords } from './studio-context.tsx';

/** Shows why an answer was rejected, with a hint. */
export function AnswerTrouble({ answer }: { readonly answer: AnswerState | undefined }): ReactNode {
  const say = useWords();
  if (answer?.state !== 'refused' || !answer.trouble) return null;
  const { code, message, hint } = answer.trouble;
  return (
    <p className="rd sm trouble" role="alert">
      {say.approvalFailed(`${code}: ${message}`)} {hint ?? ''}
    </p>
  );
}

export const isBusy = (answer: AnswerState | undefined): boolean => answer?.state === 'sending' || answer?.state === 'sent';
