import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { describeReasons } from '../../plan/executor/approval-needed.ts';
import type { ApprovedCall, HeldCall } from '../../plan/executor/execute-plan.types.ts';
import { toolSignature } from '../../plan/executor/tool-signature.ts';

/** A held call in a workflow's state. */
export interface CallInReview extends HeldCall {
  /** Identifies the call within the workflow. */
  readonly key: string;
  /** Error of a human's edit; the call is unchanged then. */
  readonly notice: string | null;
}

/** A human's decision about a call, until it is carried out. */
export type CallDecision = { readonly held: CallInReview } & (
  | { readonly as: 'approved' }
  | { readonly as: 'edited'; readonly args: JsonObject }
  | { readonly as: 'rejected'; readonly reason: string }
);

/**
 * The approved call, for `approved`; `undefined` if the decision approves nothing here, because it was made in another run of which this
 * one is a fork.
 * @param args arguments of an edited call after parsing.
 */
export function approvedCall(decision: CallDecision | undefined, runId: string | undefined, args: JsonObject): ApprovedCall | undefined {
  // Decision 91: an approval is valid in one run only, so a fork asks again.
  if (!decision || decision.as === 'rejected' || decision.held.runId !== runId) return undefined;
  const { signature, definition, tool } = decision.held;
  const called = decision.as === 'approved' ? signature : toolSignature({ name: tool, args });
  return { signature: called, ...(definition === undefined ? {} : { definition }) };
}

export interface RefusedEdits {
  /** The calls before the edit, each with the error of the edit. */
  readonly askAgain: readonly CallInReview[];
  /** The other decisions; none is carried out before all are made. */
  readonly kept: readonly CallDecision[];
}

/**
 * Invalid edits, for which the human must decide again.
 * @param problemOf returns the error of an edit, or `undefined`.
 */
export function refusedEdits(
  decisions: readonly CallDecision[],
  problemOf: (edit: Extract<CallDecision, { readonly as: 'edited' }>) => string | undefined,
): RefusedEdits {
  const askAgain = decisions.flatMap((decision): readonly CallInReview[] => {
    const problem = decision.as === 'edited' ? problemOf(decision) : undefined;
    return problem === undefined ? [] : [{ ...decision.held, notice: problem }];
  });
  return { askAgain, kept: decisions.filter(({ held }) => !askAgain.some(({ key }) => key === held.key)) };
}

/** Part of a workflow's state with the calls that need approval. */
export interface ToolReview {
  /** Calls that need approval; the question is about the first one. */
  readonly heldCalls: readonly CallInReview[];
  readonly decisions: readonly CallDecision[];
}

export const noToolReview: ToolReview = Object.freeze({ heldCalls: [], decisions: [] });

/** A human's answers to a held call. */
export type ToolReviewEvent =
  | { readonly type: 'APPROVE' }
  | { readonly type: 'EDIT'; readonly arguments: JsonObject }
  | { readonly type: 'REJECT'; readonly reason: string };

type EventOf<TType extends ToolReviewEvent['type']> = Extract<ToolReviewEvent, { type: TType }>;

/** Question to a reviewer: the call, the reasons, and the number of further calls. For `questions` of `defineWorkflow`. */
export function toolReviewQuestion({ heldCalls }: ToolReview): Json {
  const [held] = heldCalls;
  if (!held) return null;
  const { tool, args, notice } = held;
  return { tool, arguments: args, reason: describeReasons(held), notice, more: heldCalls.length - 1 };
}

const maxReasonChars = 2_000;

const editSchema: JsonObject = {
  type: 'object',
  properties: { arguments: { type: 'object' } },
  required: ['arguments'],
  additionalProperties: false,
};
const rejectSchema: JsonObject = {
  type: 'object',
  properties: { reason: { type: 'string', minLength: 1, maxLength: maxReasonChars } },
  required: ['reason'],
  additionalProperties: false,
};

/**
 * `APPROVE`, `EDIT` and `REJECT` of a held call, for `events` of `defineState`. Each decides the first call, so that the next becomes the
 * question.
 */
export const toolReviewEvents = {
  APPROVE: { patch: (state: ToolReview): ToolReview => decide(state, (held) => ({ held, as: 'approved' })) },
  EDIT: {
    schema: editSchema as JsonObject,
    parse: (event: unknown): EventOf<'EDIT'> => parseEdit(event),
    patch: (state: ToolReview, event: EventOf<'EDIT'>): ToolReview =>
      decide(state, (held) => ({ held, as: 'edited', args: event.arguments })),
  },
  REJECT: {
    schema: rejectSchema as JsonObject,
    parse: (event: unknown): EventOf<'REJECT'> => parseReject(event),
    patch: (state: ToolReview, { reason }: EventOf<'REJECT'>): ToolReview => decide(state, (held) => ({ held, as: 'rejected', reason })),
  },
} as const;

function decide({ heldCalls, decisions }: ToolReview, toDecision: (held: CallInReview) => CallDecision): ToolReview {
  const [held, ...more] = heldCalls;
  return held ? { heldCalls: more, decisions: [...decisions, toDecision(held)] } : { heldCalls, decisions };
}

function parseEdit(event: unknown): EventOf<'EDIT'> {
  const fields = fieldsOf(event, 'arguments');
  const args = fields.arguments;
  if (!isObject(args)) throw new Error('arguments: must be an object');
  return { type: 'EDIT', arguments: args as JsonObject };
}

function parseReject(event: unknown): EventOf<'REJECT'> {
  const { reason } = fieldsOf(event, 'reason');
  if (typeof reason !== 'string' || !/\S/.test(reason) || reason.length > maxReasonChars) {
    throw new Error(`reason: must be a text of 1 to ${maxReasonChars.toLocaleString('en')} characters`);
  }
  return { type: 'REJECT', reason: reason.trim() };
}

/** Fields of an event, which has its type, this field, and no others. */
function fieldsOf(event: unknown, name: string): Readonly<Record<string, unknown>> {
  const fields = (typeof event === 'object' && event !== null ? event : {}) as Readonly<Record<string, unknown>>;
  const extra = Object.keys(fields).find((key) => key !== 'type' && key !== name);
  if (extra !== undefined) throw new Error(`${extra}: unknown field of this answer`);
  return fields;
}
