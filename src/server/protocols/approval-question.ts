import { WorkflowError } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json } from '../../core/ports/json.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { driveOf } from '../../engine/drive/drive-of.ts';
import type { PendingCall } from './run-narrator.ts';

/** Converts a question that can be approved to a waiting call, named after the state that asks; to none if it cannot. */
export function toPendingCall({ id, key, accepts, question = null }: Interrupt): readonly PendingCall[] {
  if (!accepts.includes('APPROVE') || !refusalOf(accepts)) return [];
  return [{ id, approvalId: id, isShown: false, tool: stateOf({ key }), args: question }];
}

/** Path of the state that asks. */
export const stateOf = ({ key }: Pick<Interrupt, 'key'>): string => key.slice(driveOf(key).length).replace(/^\//, '').replace(/#\d+$/, '');

/** Answer to one of the calls in a question about several. */
export interface CallApproval {
  readonly key: string;
  readonly approved: boolean;
  readonly reason: string | undefined;
}

/** Event for answers to the calls of a question. @throws {WorkflowError} `EVENT_NOT_ACCEPTED`. */
export function toDecisions({ accepts }: Interrupt, approvals: readonly CallApproval[]): HumanEvent {
  if (!accepts.includes('DECIDE')) throw notAccepted(accepts);
  const decisions = approvals.map(({ key, approved, reason }) => [key, approved ? 'approve' : { reject: reasonText(reason) }] as const);
  return { type: 'DECIDE', decisions: Object.fromEntries(decisions) };
}

const reasonText = (reason: string | undefined): string => reason?.trim() || 'The user has said no.';

const refusalOf = (accepts: readonly string[]): 'REJECT' | 'CANCEL' | undefined =>
  (['REJECT', 'CANCEL'] as const).find((type) => accepts.includes(type));

/**
 * Event for an approval or a rejection of a question. A rejection with a reason is a wish for a change where the question takes no reason
 * but a `REVISE`. @throws {WorkflowError} `EVENT_NOT_ACCEPTED`. */
export function toApproval({ accepts }: Interrupt, approved: boolean, reason: string | undefined): HumanEvent {
  const refusal = refusalOf(accepts);
  if (approved && accepts.includes('APPROVE')) return { type: 'APPROVE' };
  if (!approved && refusal === 'REJECT') return { type: refusal, reason: reasonText(reason) };
  const wish = reason?.trim();
  if (!approved && wish && accepts.includes('REVISE')) return toRevision(wish);
  if (!approved && refusal) return { type: refusal };
  throw notAccepted(accepts);
}

const toRevision = (feedback: string): HumanEvent => ({ type: 'REVISE', feedback });

/** Text field of each event that accepts a text after its name. */
const textOf: Readonly<Record<string, string>> = { REJECT: 'reason', REVISE: 'feedback' };

/**
 * Parses an event as a human types it: a name (`approve`), a name with text (`revise: make it shorter`), or JSON.
 *
 * @throws {WorkflowError} `EVENT_NOT_ACCEPTED` for anything else.
 */
export function parseTyped({ accepts }: Interrupt, typed: string): HumanEvent {
  const text = typed.trim();
  if (text.startsWith('{')) {
    const event = parseObject(text);
    if (event && accepts.includes(event.type)) return event;
    throw notAccepted(accepts);
  }
  const [, first = '', words = ''] = /^(\S{1,100})(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const name = first.replace(/^\p{P}+/u, '').replace(/\p{P}+$/u, '');
  const type = accepts.find((one) => one.toLowerCase() === name.toLowerCase());
  if (type === undefined) throw notAccepted(accepts);
  const field = textOf[type];
  if (field !== undefined) return { type, [field]: words.trim() || (type === 'REJECT' ? 'The user has said no.' : '') };
  if (words.trim() !== '') throw notAccepted(accepts); // "approve, but …" is no approval
  return { type };
}

function parseObject(text: string): HumanEvent | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? (value as HumanEvent)
    : undefined;
}

export const notAccepted = (accepts: readonly string[], id?: string): WorkflowError =>
  new WorkflowError({
    code: 'EVENT_NOT_ACCEPTED',
    message: `This does not answer the open question${id === undefined ? '' : ` ${id}`} of the run.`,
    hint: `Answer with one of ${accepts.join(', ')}${accepts.some((type) => textOf[type]) ? ', with your text after it where it takes one' : ''}, or with the event as JSON.`,
    data: { accepts: [...accepts], ...(id === undefined ? {} : { interruptId: id }) },
  });

/** Describes a question and its possible answers in words, for a client that shows only text. */
export function describeQuestion({ id, question, accepts, expiresAt }: Interrupt): string {
  const shown = question === undefined || question === null ? '' : `\n\n\`\`\`json\n${fenced(question)}\n\`\`\``;
  const [first = ''] = accepts;
  const until = expiresAt === undefined ? '' : ` It expires at ${new Date(expiresAt).toISOString()}.`;
  return `I need your decision before I continue.${shown}\n\nReply with one of: ${accepts.map(describeEvent).join(', ')}. To answer without this message in the conversation, name the question: ${first} ${id}.${until}`;
}

/** Escapes backticks, so that a fence in the content does not close ours. */
const fenced = (question: Json): string => JSON.stringify(question, null, 2).replaceAll('```', '\\u0060\\u0060\\u0060');

const describeEvent = (type: string): string => {
  if (type === 'EDIT') return '{"type":"EDIT", …} with the changed fields';
  if (type === 'DECIDE')
    return '{"type":"DECIDE","decisions":{ … }} with "approve", { "reject": reason } or { "arguments": … } for each key';
  return textOf[type] === undefined ? type : `${type} and your ${textOf[type]}`;
};
