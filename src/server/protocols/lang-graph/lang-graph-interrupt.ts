import { z } from 'zod';
import { WorkflowError } from '../../../core/errors/errors.ts';
import type { HumanEvent } from '../../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../../core/ports/json.ts';
import type { CallInDoubt, Interrupt } from '../../../core/ports/run-event.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { driveOf } from '../../../engine/drive/drive-of.ts';
import { notAccepted, parseTyped, toApproval, toPendingCall } from '../approval-question.ts';
import { plain } from '../to-plain-json.ts';

/** An open question in LangGraph's form. */
export interface LangGraphInterrupt {
  readonly id: string;
  /** LangChain's request for a review (`action_requests`) if it can be approved, and always `state`, `accepts` and `question` of the run. */
  readonly value: JsonObject;
}

/** A call or a state that can be approved. `key` is set for one of several calls that are decided together. */
interface ReviewedAction {
  readonly name: string;
  readonly args: JsonObject;
  readonly key?: string;
  readonly isCall: boolean;
}

/** Converts a question. Pages that know LangChain's human-in-the-loop middleware show it with their own buttons. */
export function toLangGraphInterrupt(interrupt: Interrupt): LangGraphInterrupt {
  const { id, key, accepts, question, expiresAt } = interrupt;
  const actions = actionsOf(interrupt);
  const decisions = (isCall: boolean): readonly string[] => [
    'approve',
    ...(isCall && (accepts.includes('EDIT') || accepts.includes('DECIDE')) ? ['edit'] : []),
    ...(accepts.includes('REJECT') || accepts.includes('CANCEL') ? ['reject'] : []),
  ];
  const review = {
    action_requests: actions.map(({ name, args }) => ({ name, args })),
    review_configs: actions.map(({ name, isCall }) => ({ action_name: name, allowed_decisions: decisions(isCall) })),
  };
  const state = key.slice(driveOf(key).length).replace(/^\//, '').replace(/#\d+$/, '');
  return { id, value: plain({ ...(actions.length > 0 ? review : {}), id, state, accepts, question, expiresAt }) };
}

/** Converts a call whose outcome is unknown. It is answered by a resolution: `{ as: 'retry' }`. */
export const toDoubtInterrupt = ({ callId, describe }: CallInDoubt): LangGraphInterrupt => ({
  id: callId,
  value: { id: callId, state: 'in_doubt', accepts: ['done', 'retry', 'abort'], in_doubt: describe },
});

function actionsOf(interrupt: Interrupt): readonly ReviewedAction[] {
  const { accepts, question } = interrupt;
  if (!accepts.includes('APPROVE')) return [];
  const listed = isObject(question) && accepts.includes('DECIDE') && Array.isArray(question.calls) ? question.calls : [question];
  const calls = listed.flatMap((shown: unknown): readonly ReviewedAction[] => {
    if (!isObject(shown) || typeof shown.tool !== 'string' || !isObject(shown.arguments)) return [];
    const key = listed.length > 1 ? { key: String(shown.key) } : {};
    return [{ name: shown.tool, args: plain(shown.arguments), ...key, isCall: true }];
  });
  if (calls.length > 0) return calls;
  return toPendingCall(interrupt).map(({ tool, args }) => ({
    name: tool,
    args: isObject(args) ? plain(args) : { question: args },
    isCall: false,
  }));
}

// strict, because an unknown field may limit what is approved
const decision = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('approve') }),
  z.strictObject({ type: z.literal('reject'), message: z.string().optional() }),
  z.strictObject({ type: z.literal('edit'), edited_action: z.strictObject({ name: z.string(), args: z.record(z.string(), z.json()) }) }),
]);
type Decision = z.infer<typeof decision>;
const reviewed = z.strictObject({ decisions: z.array(decision) });

/**
 * Parses the answer to a question: `{ decisions: [{ type: 'approve' }] }` as LangChain's pages send it, `true` or `false`, a typed
 * decision, or the event.
 *
 * @throws {WorkflowError} `EVENT_NOT_ACCEPTED`; `INPUT_INVALID` for another number of decisions than of calls.
 */
export function parseAnswer(interrupt: Interrupt, answer: Json): HumanEvent {
  if (typeof answer === 'boolean') return toApproval(interrupt, answer, undefined);
  if (typeof answer === 'string') return parseTyped(interrupt, answer);
  if (!isObject(answer) || !('decisions' in answer) || 'type' in answer) return parseTyped(interrupt, JSON.stringify(answer));
  const read = reviewed.safeParse(answer);
  if (!read.success) throw notAccepted(interrupt.accepts);
  const actions = actionsOf(interrupt);
  const { decisions } = read.data;
  if (actions.length !== decisions.length) throw otherCount(actions.length, decisions.length);
  const pairs = actions.flatMap((action, index) => {
    const made = decisions[index];
    return made ? [{ action, made }] : [];
  });
  const [first] = pairs;
  if (!first) throw notAccepted(interrupt.accepts);
  if (first.action.key === undefined) return toEvent(interrupt, first.action, first.made);
  const entries = pairs.map(({ action, made }) => [action.key ?? '', toDecision(interrupt, action, made)] as const);
  return { type: 'DECIDE', decisions: Object.fromEntries(entries) };
}

function toEvent(interrupt: Interrupt, action: ReviewedAction, made: Decision): HumanEvent {
  if (made.type === 'approve') return toApproval(interrupt, true, undefined);
  if (made.type === 'reject') return toApproval(interrupt, false, made.message);
  if (!interrupt.accepts.includes('EDIT')) throw notAccepted(interrupt.accepts);
  return { type: 'EDIT', arguments: editedArgs(interrupt, action, made) };
}

function toDecision(interrupt: Interrupt, action: ReviewedAction, made: Decision): Json {
  if (made.type === 'approve') return 'approve';
  if (made.type === 'reject') return { reject: made.message?.trim() || 'The user has said no.' };
  return { arguments: editedArgs(interrupt, action, made) };
}

function editedArgs(
  { accepts }: Interrupt,
  { name, isCall }: ReviewedAction,
  { edited_action: edited }: Extract<Decision, { type: 'edit' }>,
): JsonObject {
  if (isCall && edited.name === name) return plain(edited.args);
  throw notAccepted(accepts);
}

const otherCount = (asked: number, given: number): WorkflowError =>
  new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The question is about ${asked} actions, and there are ${given} decisions.`,
    hint: 'Send one decision per entry of action_requests, in the same order.',
  });
