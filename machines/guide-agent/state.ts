import { append, type ChatMessage, defineState, type ErrorInfo, type Json, type JsonObject, joinTaint, toSafeError } from 'agent-machines';
import type { ConversationMessage } from 'agent-machines/memory';
import { answersInKorean, describeError, describeStop, splitSentences } from 'agent-machines/search';
import { type CallingState, noPendingCalls, type ShownDecision, toolReviewEvents } from 'agent-machines/tools';
import * as z from 'zod/mini';

/** Result of one sub-task. */
export interface Recommendation {
  readonly sub_task: string;
  /** `unresolved`: no usable result; the guide says so. */
  readonly status: 'recommended' | 'unresolved';
  /** Name of the service; empty if unresolved. */
  readonly service: string;
  readonly reason: string;
  /** Ids of the documents behind the recommendation. */
  readonly source_ids: readonly string[];
  /** True if no service of the catalogue fits well, and the web was not searched. */
  readonly should_fallback: boolean;
}

/** A document that a tool has returned. */
export interface RetrievedDoc {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** `catalogue`, the name of a PDF, or the address of a page. */
  readonly source: string;
}

/** A memory about a user. */
export interface Memory {
  readonly kind: 'preference' | 'fact' | 'feedback' | 'goal';
  readonly text: string;
}

/** State of a run. README.md lists the document's field names. */
export interface GuideAgentState extends CallingState {
  readonly input: string;
  /** Id of the user whose memories are read and written: from the run, never from a model. */
  readonly userId: string;
  /** The conversation before this request, oldest message first. */
  readonly messages: readonly ConversationMessage[];
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  readonly isComplexTask: boolean;
  readonly subTasks: readonly string[];
  /** Number of plans that have been shown: 0 before the first one. */
  readonly revision: number;
  /** The user's requested change of the plan. */
  readonly userFeedback: string | null;
  /** Every feedback of the user on plans. */
  readonly feedbacks: readonly string[];
  /** Reason why the old plan is shown again. */
  readonly notice: string | null;
  readonly approved: boolean;
  /** Index of the current sub-task. */
  readonly currentTask: number;
  /** The conversation with the model about this sub-task only. */
  readonly taskMessages: readonly ChatMessage[];
  /** False for an answer about the plan while a call is in question, or the reverse. Such an answer is rejected. */
  readonly answerFits: boolean;
  /** Ids of the documents that tools have returned for this sub-task. Only a service in one of them can be recommended. */
  readonly taskDocs: readonly string[];
  /** True if the results for this sub-task fit poorly so far, and another source is needed. */
  readonly taskFallback: boolean;
  /** Number of the model's calls for this sub-task, invalid ones included. */
  readonly toolCallsUsed: number;
  readonly maxToolCallsPerTask: number;
  readonly toolRecommendations: readonly Recommendation[];
  /** Documents that tools have returned, each once. */
  readonly retrievedDocs: readonly RetrievedDoc[];
  /** True if the input is the user's own: no external source with untrusted text, such as a calling agent, has worded it. */
  readonly isInputOfUser?: boolean;
  readonly finalGuide: string | null;
  /** Memories that were stored at the end of this run. */
  readonly memories: readonly Memory[];
  /** The last error: it either ended the run, or the run continued without the failed step. */
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type GuideAgentMachineInput = Pick<
  GuideAgentState,
  'input' | 'userId' | 'messages' | 'currentDatetime' | 'timeZone' | 'maxToolCallsPerTask' | 'taint' | 'egressGranted'
> & {
  /** True if earlier runs of this thread have read untrusted text. Default: false. */
  readonly isThreadUntrusted?: boolean;
};

export interface GuideAgentOutput {
  /** The guide, or the reason why there is none. */
  readonly answer: string;
  readonly subTasks: readonly string[];
  readonly toolRecommendations: readonly Recommendation[];
  readonly memories: readonly Memory[];
  readonly error: ErrorInfo | null;
}

/** Events of a human about a plan or a waiting call. An edit of a plan has sub-tasks, an edit of a call has arguments. */
export type GuideAgentEvent =
  | { readonly type: 'APPROVE' }
  | { readonly type: 'REVISE'; readonly feedback: string }
  | { readonly type: 'EDIT'; readonly sub_tasks?: readonly string[]; readonly arguments?: JsonObject }
  | { readonly type: 'REJECT'; readonly reason: string }
  | { readonly type: 'DECIDE'; readonly decisions: Readonly<Record<string, ShownDecision>> }
  | { readonly type: 'CANCEL' };

/** True if the text has a visible character. */
export const saysSomething = (text: string): boolean => /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text);

/** True if no two tasks are equal, ignoring case, spacing and Unicode composition. */
export const areDistinct = (tasks: readonly string[]): boolean =>
  new Set(tasks.map((task) => task.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' '))).size === tasks.length;

const subTask = z
  .string('a sub-task is not a string')
  .check(z.trim(), z.maxLength(300, 'a sub-task is longer than 300 characters'), z.refine(saysSomething, 'a sub-task is blank'));

const unknownMember = 'an unknown field is present';
const approve = z.strictObject({ type: z.literal('APPROVE') }, unknownMember);
const revise = z.strictObject(
  {
    type: z.literal('REVISE'),
    feedback: z
      .string('it is not a string')
      .check(z.trim(), z.maxLength(2_000, 'it is longer than 2,000 characters'), z.refine(saysSomething, 'it is blank')),
  },
  unknownMember,
);
const edit = z.strictObject(
  {
    type: z.literal('EDIT'),
    sub_tasks: z
      .array(subTask, 'it is not a list')
      .check(
        z.minLength(1, 'the list is empty'),
        z.maxLength(5, 'there are more than 5 sub-tasks'),
        z.refine(areDistinct, 'two sub-tasks are equal'),
      ),
  },
  unknownMember,
);
const editOfCall = z.strictObject({ type: z.literal('EDIT'), arguments: z.looseObject({}) }, unknownMember);
const parseEdit = (event: unknown): Extract<GuideAgentEvent, { type: 'EDIT' }> =>
  typeof event === 'object' && event !== null && 'arguments' in event ? toolReviewEvents.EDIT.parse(event) : edit.parse(event);
const toSchema = (schema: z.core.$ZodType): JsonObject => z.toJSONSchema(schema, { target: 'draft-2020-12' }) as JsonObject;
const cancel = z.strictObject({ type: z.literal('CANCEL') }, unknownMember);

const mergeDocs = (current: readonly RetrievedDoc[], next: readonly RetrievedDoc[]): RetrievedDoc[] => {
  const known = new Set(current.map(({ id }) => id));
  return [...current, ...next.filter(({ id }) => !known.has(id) && known.add(id))];
};

const cancelled = { ko: '취소했습니다. 아무것도 실행하지 않았습니다.', en: 'Cancelled. Nothing was executed.' };

export const state = defineState<GuideAgentState, GuideAgentMachineInput, GuideAgentOutput, GuideAgentEvent>({
  reducers: { feedbacks: append, toolRecommendations: append, retrievedDocs: mergeDocs, taint: joinTaint },
  onError(state, thrown) {
    const error = toSafeError(thrown);
    // after a failed change, the old plan is shown with the reason
    const korean = answersInKorean(state.userFeedback ?? state.input);
    if (state.subTasks.length > 0 && !state.approved) return { error, userFeedback: null, notice: describeError(error, { korean }) };
    return { error, finalGuide: state.finalGuide ?? describeStop(error, { korean }) };
  },
  events: {
    APPROVE: {
      schema: toSchema(approve),
      parse: (event) => approve.parse(event),
      patch: (state) => (isReviewed(state) ? toolReviewEvents.APPROVE.patch(state) : { approved: true, notice: null, error: null }),
    },
    REJECT: toolReviewEvents.REJECT,
    DECIDE: toolReviewEvents.DECIDE,
    REVISE: {
      schema: toSchema(revise),
      parse: (event) => revise.parse(event),
      patch: (_state, { feedback }) => ({ userFeedback: feedback, feedbacks: [feedback], notice: null, error: null }),
    },
    EDIT: {
      schema: toSchema(z.union([edit, editOfCall])),
      parse: parseEdit,
      patch: (state, { sub_tasks: subTasks, arguments: args }) => {
        if (isReviewed(state)) return args ? toolReviewEvents.EDIT.patch(state, { type: 'EDIT', arguments: args }) : { answerFits: false };
        return subTasks ? { subTasks, revision: state.revision + 1, notice: null, error: null } : { answerFits: false };
      },
    },
    CANCEL: {
      parse: (event) => cancel.parse(event),
      patch: ({ input }) => ({ finalGuide: answersInKorean(input) ? cancelled.ko : cancelled.en }),
    },
  },
});

/** True if the open question is about a call, not about the plan. */
const isReviewed = ({ heldCalls }: GuideAgentState): boolean => heldCalls.length > 0;

/** Returns the question for the reviewer: the plan that an approval applies to. */
export const reviewOf = ({ revision, subTasks, notice }: GuideAgentState): Json => ({ revision, sub_tasks: [...subTasks], notice });

/** True if the text is a whole sentence of the user, so no other source has worded it. A part of a sentence could lack its negation. */
export const isSaidByUser = (text: string, { input, feedbacks, messages, isInputOfUser = false }: GuideAgentState): boolean =>
  [...feedbacks, ...(isInputOfUser ? [input, ...messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))] : [])].some(
    (said) => splitSentences(said).some((sentence) => plain(sentence) === plain(text)),
  );

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.!。]$/u, '');

export const initialState = ({ isThreadUntrusted = false, ...input }: GuideAgentMachineInput): GuideAgentState => ({
  ...input,
  isInputOfUser: isThreadUntrusted || !input.taint.untrusted,
  isComplexTask: false,
  subTasks: [],
  revision: 0,
  userFeedback: null,
  feedbacks: [],
  notice: null,
  approved: false,
  currentTask: 0,
  taskMessages: [],
  taskDocs: [],
  taskFallback: false,
  ...noPendingCalls,
  answerFits: true,
  toolCallsUsed: 0,
  toolRecommendations: [],
  retrievedDocs: [],
  finalGuide: null,
  memories: [],
  error: null,
});
