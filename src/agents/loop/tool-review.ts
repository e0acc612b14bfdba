import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { describeReasons } from '../../plan/executor/approval-needed.ts';
import type { ApprovedCall, HeldCall } from '../../plan/executor/execute-plan.types.ts';
import { toolSignature } from '../../plan/executor/tool-signature.ts';
import { eventFields, eventText } from './event-fields.ts';

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

/** A human's answers to held calls: `DECIDE` decides all that were shown, the others decide the first one. */
export type ToolReviewEvent =
  | { readonly type: 'APPROVE' }
  | { readonly type: 'EDIT'; readonly arguments: JsonObject }
  | { readonly type: 'REJECT'; readonly reason: string }
  | { readonly type: 'DECIDE'; readonly decisions: Readonly<Record<string, ShownDecision>> };

/** Decision about one of the calls that were shown. */
export type ShownDecision = 'approve' | { readonly reject: string } | { readonly arguments: JsonObject };

type EventOf<TType extends ToolReviewEvent['type']> = Extract<ToolReviewEvent, { type: TType }>;

/**
 * Question to a reviewer: the first call with the reasons, the number of further calls, and in `calls` all of them by their keys. For
 * `questions` of `defineWorkflow`.
 */
export function toolReviewQuestion({ heldCalls }: ToolReview): Json {
  const [first] = heldCalls;
  if (!first) return null;
  return { ...shown(first), more: heldCalls.length - 1, calls: heldCalls.map((held) => ({ key: held.key, ...shown(held) })) };
}

const shown = (held: CallInReview): JsonObject => ({
  tool: held.tool,
  arguments: held.args,
  reason: describeReasons(held),
  notice: held.notice,
});

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

const reasonSchema: JsonObject = { type: 'string', minLength: 1, maxLength: maxReasonChars };
const decideSchema: JsonObject = {
  type: 'object',
  properties: {
    decisions: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        anyOf: [
          { const: 'approve' },
          { type: 'object', properties: { reject: reasonSchema }, required: ['reject'], additionalProperties: false },
          editSchema,
        ],
      },
    },
  },
  required: ['decisions'],
  additionalProperties: false,
};

/**
 * Answers to held calls, for `events` of `defineState`. `APPROVE`, `EDIT` and `REJECT` decide the first call, so that the next becomes the
 * question. `DECIDE` decides all calls by their keys: `{ decisions: { call_0: 'approve', call_1: { reject: 'why' } } }`. One that leaves
 * out a call, or names another one, changes nothing, and the guard `decidesAll` rejects it.
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
  DECIDE: {
    schema: decideSchema as JsonObject,
    parse: (event: unknown): EventOf<'DECIDE'> => parseDecide(event),
    patch: (state: ToolReview, event: EventOf<'DECIDE'>): ToolReview => decideAll(state, event.decisions),
  },
} as const;

function decideAll({ heldCalls, decisions }: ToolReview, given: EventOf<'DECIDE'>['decisions']): ToolReview {
  const isWhole = Object.keys(given).length === heldCalls.length && heldCalls.every(({ key }) => Object.hasOwn(given, key));
  if (!isWhole) return { heldCalls, decisions };
  return { heldCalls: [], decisions: [...decisions, ...heldCalls.flatMap((held) => decisionOf(held, given[held.key]))] };
}

function decisionOf(held: CallInReview, given: ShownDecision | undefined): readonly CallDecision[] {
  if (given === undefined) return [];
  if (given === 'approve') return [{ held, as: 'approved' }];
  return 'reject' in given ? [{ held, as: 'rejected', reason: given.reject }] : [{ held, as: 'edited', args: given.arguments }];
}

function decide({ heldCalls, decisions }: ToolReview, toDecision: (held: CallInReview) => CallDecision): ToolReview {
  const [held, ...more] = heldCalls;
  return held ? { heldCalls: more, decisions: [...decisions, toDecision(held)] } : { heldCalls, decisions };
}

function parseEdit(event: unknown): EventOf<'EDIT'> {
  const fields = eventFields(event, 'arguments');
  const args = fields.arguments;
  if (!isObject(args)) throw new Error('arguments: must be an object');
  return { type: 'EDIT', arguments: args as JsonObject };
}

function parseReject(event: unknown): EventOf<'REJECT'> {
  const { reason } = eventFields(event, 'reason');
  return { type: 'REJECT', reason: parseReason('reason', reason) };
}

const parseReason = (name: string, reason: unknown): string => eventText(name, reason, maxReasonChars).trim();

function parseDecide(event: unknown): EventOf<'DECIDE'> {
  const { decisions } = eventFields(event, 'decisions');
  if (!isObject(decisions) || Object.keys(decisions).length === 0)
    throw new Error('decisions: must be an object with a decision for each call');
  const read = Object.entries(decisions).map(([key, decision]) => [key, parseShown(`decisions.${key}`, decision)] as const);
  return { type: 'DECIDE', decisions: Object.fromEntries(read) };
}

function parseShown(name: string, decision: unknown): ShownDecision {
  if (decision === 'approve') return decision;
  const [field, ...others] = isObject(decision) ? Object.keys(decision) : [];
  if (!isObject(decision) || others.length > 0 || (field !== 'reject' && field !== 'arguments'))
    throw new Error(`${name}: must be 'approve', { reject: '…' } or { arguments: { … } }`);
  if (field === 'reject') return { reject: parseReason(`${name}.reject`, decision.reject) };
  if (!isObject(decision.arguments)) throw new Error(`${name}.arguments: must be an object`);
  return { arguments: decision.arguments as JsonObject };
}
