import {
  append,
  type ChatMessage,
  defineState,
  type ErrorInfo,
  type Json,
  type JsonObject,
  joinTaint,
  type Taint,
  toSafeError,
} from 'agent-machines';
import { noPendingCalls, type PendingCalls, toolReviewEvents } from 'agent-machines/executor';
import type { ConversationMessage } from 'agent-machines/memory';
import { describeError, describeStop, isKorean, splitSentences } from 'agent-machines/text';
import * as z from 'zod/mini';

/** What was found for one sub-task. */
export interface Recommendation {
  readonly sub_task: string;
  /** `unresolved`: nothing usable came of it; the guide says so. */
  readonly status: 'recommended' | 'unresolved';
  /** One service; empty when it is unresolved. */
  readonly service: string;
  readonly reason: string;
  /** Ids of the documents that it rests on. */
  readonly source_ids: readonly string[];
  /** The catalogue had nothing that fits well, and the web was not searched. */
  readonly should_fallback: boolean;
}

/** A document that a tool has brought. */
export interface RetrievedDoc {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** `catalogue`, the name of a PDF, or the address of a page. */
  readonly source: string;
}

/** Something worth remembering of a user. */
export interface Memory {
  readonly kind: 'preference' | 'fact' | 'feedback' | 'goal';
  readonly text: string;
}

/** State of a run. README.md lists the document's field names. */
export interface GuideAgentState extends PendingCalls {
  readonly input: string;
  /** Whose memories are read and written: from the run, never from a model. */
  readonly userId: string;
  /** The conversation before this request, oldest message first. */
  readonly messages: readonly ConversationMessage[];
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  readonly isComplexTask: boolean;
  readonly subTasks: readonly string[];
  /** 0 before the first plan, and one more for every plan that is shown. */
  readonly revision: number;
  /** What the user wants changed in the plan. */
  readonly userFeedback: string | null;
  /** Everything that the user has said about plans. */
  readonly feedbacks: readonly string[];
  /** Why the plan that is shown is the old one. */
  readonly notice: string | null;
  readonly approved: boolean;
  /** The sub-task that is worked on. */
  readonly currentTask: number;
  /** The conversation with the model about this sub-task alone. */
  readonly taskMessages: readonly ChatMessage[];
  /** False for an answer about a plan when a call was asked about, or the reverse: such an answer is refused. */
  readonly answerFits: boolean;
  /** Ids of the documents that tools have brought for this sub-task: only a service that is in one of them can be recommended. */
  readonly taskDocs: readonly string[];
  /** The results for this sub-task so far fit poorly: another source should be asked. */
  readonly taskFallback: boolean;
  /** Calls that the model has made for this sub-task, wrong ones included. */
  readonly toolCallsUsed: number;
  readonly maxToolCallsPerTask: number;
  readonly toolRecommendations: readonly Recommendation[];
  /** Each document once. */
  readonly retrievedDocs: readonly RetrievedDoc[];
  /** Taint that tools have brought into the thread, in this turn or an earlier one. */
  readonly taint: Taint;
  /** The input is the user's: nothing outside this thread that has read untrusted text, such as a calling agent, has worded it. */
  readonly isInputOfUser?: boolean;
  /** True once the user has allowed external calls in this thread, in this turn or an earlier one. */
  readonly egressGranted: boolean;
  readonly finalGuide: string | null;
  /** What was remembered of this conversation when it was over. */
  readonly memories: readonly Memory[];
  /** The last error: what ended the work, or a failure that it could do without. */
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type GuideAgentMachineInput = Pick<
  GuideAgentState,
  'input' | 'userId' | 'messages' | 'currentDatetime' | 'maxToolCallsPerTask' | 'taint' | 'egressGranted'
> & {
  /** Earlier runs of this thread have read untrusted text. Default: false. */
  readonly isThreadUntrusted?: boolean;
};

export interface GuideAgentOutput {
  /** The guide, or why there is none. */
  readonly answer: string;
  readonly subTasks: readonly string[];
  readonly toolRecommendations: readonly Recommendation[];
  readonly memories: readonly Memory[];
  readonly error: ErrorInfo | null;
}

/** What a human may do with a plan, and with a call that waits. A plan is edited by its sub-tasks, a call by its arguments. */
export type GuideAgentEvent =
  | { readonly type: 'APPROVE' }
  | { readonly type: 'REVISE'; readonly feedback: string }
  | { readonly type: 'EDIT'; readonly sub_tasks?: readonly string[]; readonly arguments?: JsonObject }
  | { readonly type: 'REJECT'; readonly reason: string }
  | { readonly type: 'CANCEL' };

/** Has at least one visible character. */
export const saysSomething = (text: string): boolean => /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text);

/** No two are equal when case, spacing and Unicode composition are ignored. */
export const areDistinct = (tasks: readonly string[]): boolean =>
  new Set(tasks.map((task) => task.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' '))).size === tasks.length;

const subTask = z
  .string('a sub-task is no text')
  .check(z.trim(), z.maxLength(300, 'a sub-task is longer than 300 characters'), z.refine(saysSomething, 'a sub-task is blank'));

const unknownMember = 'it has a member that is not known';
const approve = z.strictObject({ type: z.literal('APPROVE') }, unknownMember);
const revise = z.strictObject(
  {
    type: z.literal('REVISE'),
    feedback: z
      .string('it is no text')
      .check(z.trim(), z.maxLength(2_000, 'it is longer than 2,000 characters'), z.refine(saysSomething, 'it says nothing')),
  },
  unknownMember,
);
const edit = z.strictObject(
  {
    type: z.literal('EDIT'),
    sub_tasks: z
      .array(subTask, 'it is no list')
      .check(
        z.minLength(1, 'there is no sub-task'),
        z.maxLength(5, 'there are more than 5 sub-tasks'),
        z.refine(areDistinct, 'two sub-tasks are the same'),
      ),
  },
  unknownMember,
);
const editOfCall = z.strictObject({ type: z.literal('EDIT'), arguments: z.looseObject({}) }, unknownMember);
const parseEdit = (event: unknown): Extract<GuideAgentEvent, { type: 'EDIT' }> =>
  typeof event === 'object' && event !== null && 'arguments' in event ? toolReviewEvents.EDIT.parse(event) : edit.parse(event);
const toSchema = (schema: z.core.$ZodType): JsonObject => z.toJSONSchema(schema, { target: 'draft-2020-12' }) as JsonObject;
const cancel = z.strictObject({ type: z.literal('CANCEL') }, unknownMember);

/** Adds the documents that are not there yet. */
const mergeDocs = (current: readonly RetrievedDoc[], next: readonly RetrievedDoc[]): RetrievedDoc[] => {
  const known = new Set(current.map(({ id }) => id));
  return [...current, ...next.filter(({ id }) => !known.has(id) && known.add(id))];
};

const cancelled = { ko: '취소했습니다. 아무것도 실행하지 않았습니다.', en: 'Cancelled. Nothing was carried out.' };

/** The language to answer in: an English sentence may have a Korean name in it. */
export const answersInKorean = (text: string): boolean => isKorean(text) && !english.test(text);

const english = /^\W*(?:what|who|when|where|why|how|which|is|are|does|do|can|could|please|i|tell|make|add|remove|rename|move|the)\b/iu;

export const state = defineState<GuideAgentState, GuideAgentMachineInput, GuideAgentOutput, GuideAgentEvent>({
  reducers: { feedbacks: append, toolRecommendations: append, retrievedDocs: mergeDocs, taint: joinTaint },
  onError(state, thrown) {
    const error = toSafeError(thrown);
    // a plan that could not be changed is shown as it is, with the reason
    if (state.subTasks.length > 0 && !state.approved) return { error, userFeedback: null, notice: describeError(error) };
    return { error, finalGuide: state.finalGuide ?? describeStop(describeError(error), { korean: answersInKorean(state.input) }) };
  },
  events: {
    APPROVE: {
      schema: toSchema(approve),
      parse: (event) => approve.parse(event),
      patch: (state) => (isReviewed(state) ? toolReviewEvents.APPROVE.patch(state) : { approved: true, notice: null, error: null }),
    },
    REJECT: toolReviewEvents.REJECT,
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

/** The question is about a call, not about the plan. */
const isReviewed = ({ heldCalls }: GuideAgentState): boolean => heldCalls.length > 0;

/** What a reviewer is shown: the plan that an approval stands for. */
export const reviewOf = ({ revision, subTasks, notice }: GuideAgentState): Json => ({ revision, sub_tasks: [...subTasks], notice });

/** The text is a whole sentence of the user, so that no other text has worded it. A part of one could lack its negation. */
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
