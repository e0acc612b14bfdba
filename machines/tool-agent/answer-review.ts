import { type Json, WorkflowError } from 'agent-machines';
import { answersInKorean, describeStop } from 'agent-machines/search';
import { eventFields, eventText } from 'agent-machines/tools';
import type { ToolAgentState } from './state.ts';

/** A human's own text in place of an answer that a guard holds. */
export interface ReplaceEvent {
  readonly type: 'REPLACE';
  readonly answer: string;
}

type HeldAnswer = Pick<ToolAgentState, 'input' | 'answer' | 'output' | 'heldBy'>;

/** True if the open question is about the answer, not about a call. */
export const isAnswerHeld = ({ heldBy, heldCalls }: Pick<ToolAgentState, 'heldBy' | 'heldCalls'>): boolean =>
  heldBy.length > 0 && heldCalls.length === 0;

/** Question to a reviewer: the answer, its value if it has the form of a schema, and the guards that hold it. */
export const answerReviewQuestion = ({ answer, output, heldBy }: HeldAnswer): Json => ({
  answer,
  ...(output === answer ? {} : { output }),
  heldBy: [...heldBy],
});

export const approveAnswer: Pick<ToolAgentState, 'heldBy'> = { heldBy: [] };

/** Patch of a rejection: the answer leaves the state, and the run ends in `stopped`. */
export function rejectAnswer({ input, heldBy }: HeldAnswer, { reason }: { readonly reason: string }): Partial<ToolAgentState> {
  const error = new WorkflowError({
    code: 'GUARD_STOPPED',
    message: `A human rejected the answer that the guard "${heldBy.join('", "')}" held: ${reason}`,
    hint: 'Ask again in other words, or change the rule of the guard.',
    data: { guard: heldBy[0] ?? '', border: 'answer' },
  }).toJSON();
  return { error, answer: describeStop(error, { korean: answersInKorean(input) }), output: null, outcome: null, heldBy: [] };
}

const maxAnswerChars = 1_000_000;

/** `REPLACE { answer }`. It changes nothing if the answer has the form of a schema, and the guard `isReplaced` rejects it. */
export const replaceEvent = {
  schema: {
    type: 'object',
    properties: { answer: { type: 'string', minLength: 1, maxLength: maxAnswerChars } },
    required: ['answer'],
    additionalProperties: false,
  },
  parse: (event: unknown): ReplaceEvent => ({
    type: 'REPLACE',
    answer: eventText('answer', eventFields(event, 'answer').answer, maxAnswerChars),
  }),
  patch: ({ answer, output, heldBy }: HeldAnswer, event: ReplaceEvent): Partial<ToolAgentState> =>
    output === answer ? { answer: event.answer, output: event.answer, heldBy: [] } : { heldBy },
};
