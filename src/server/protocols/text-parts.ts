import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { describeQuestion } from './approval-question.ts';
import type { ModelUsage, Move } from './run-narrator.ts';

/** An item for a client that shows only text. */
export type TextPart =
  | { readonly type: 'text-start'; readonly id: string }
  | { readonly type: 'text'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end'; readonly id: string; readonly text: string }
  | { readonly type: 'void'; readonly ids: readonly string[] }
  | { readonly type: 'end'; readonly status: 'done' | 'waiting'; readonly usage: readonly ModelUsage[] }
  | { readonly type: 'failed'; readonly error: ErrorInfo; readonly usage: readonly ModelUsage[] };

/** Text form of a move; questions and their possible answers become text too. */
export function toTextParts(move: Move): readonly TextPart[] {
  switch (move.type) {
    case 'text-start':
    case 'text':
    case 'text-end':
      return [move];
    case 'void':
      return move.texts.length > 0 ? [{ type: 'void', ids: move.texts }] : [];
    case 'end':
      return move.isAnswered
        ? [{ type: 'end', status: 'done', usage: move.usage }]
        : [{ type: 'failed', error: move.error ?? cancelled, usage: move.usage }];
    case 'pause': {
      const { interrupts, isReviewed, usage, calls, error } = move;
      const [open] = interrupts;
      if (isReviewed) return [{ type: 'end', status: 'waiting', usage }];
      if (!open) return [{ type: 'failed', error: error ?? (calls.length > 0 ? doubtful : suspended), usage }];
      const text = describeQuestion(open);
      const id = open.id;
      return [
        { type: 'text-start', id },
        { type: 'text', id, delta: text },
        { type: 'text-end', id, text },
        { type: 'end', status: 'waiting', usage },
      ];
    }
    default:
      return [];
  }
}

const cancelled = toErrorInfo(new WorkflowError({ code: 'RUN_ENDED', message: 'The run was cancelled.' }));
export const suspended: ErrorInfo = toErrorInfo(
  new WorkflowError({ code: 'RUN_SUSPENDED', message: 'The run is suspended, and this server does not drive it.', retryable: true }),
);
const doubtful = toErrorInfo(
  new WorkflowError({
    code: 'CALL_IN_DOUBT',
    message: 'The outcome of a call of the run is unknown.',
    hint: 'Resolve it with runtime.resolve, or in the studio.',
  }),
);
