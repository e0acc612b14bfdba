import { WorkflowError } from '../errors.ts';
import type { ChatModel, ChatReply, ChatRequest, ProviderData } from '../ports/chat-model.ts';
import type { TokenUsage } from '../ports/run-event.ts';
import { deliver, type ModelAnswer, toChatReply } from './model-answer.ts';

/** One reply of a script. */
export interface ScriptedReply {
  /** Who must be asking. Default: anybody. */
  readonly task?: string;
  /** What is answered; an `Error` is thrown instead. */
  readonly reply: ModelAnswer | Error;
  /** @default { inputTokens: 0, outputTokens: 0 } */
  readonly usage?: TokenUsage;
  /** Looks at the request before it is answered; what it throws rejects `generate`. */
  readonly check?: (request: ChatRequest) => void;
  /**
   * The pieces that arrive through `onToken`: together they are the text. Before an `Error` they may be anything, as in a stream that is
   * cut. Default: the text in one piece.
   */
  readonly tokens?: readonly string[];
  /** What the model thought before it answered; it arrives through `onReasoning`. Default: nothing. */
  readonly reasoning?: string;
  /** What it wants back with its message. Default: nothing. */
  readonly providerData?: ProviderData;
}

/** Replies in the order in which they are asked for, or in that order for each task when tasks ask in parallel. */
export type Script = readonly ScriptedReply[] | Readonly<Record<string, readonly Omit<ScriptedReply, 'task'>[]>>;

/** A model that answers from a script. */
export interface ScriptedModel extends ChatModel {
  /** Every request so far, the unexpected ones included. */
  readonly requests: readonly ChatRequest[];
  /**
   * Checks that the script has been used up.
   * @throws {WorkflowError} `SCRIPT_UNUSED_REPLIES` when replies are left.
   */
  assertConsumed(): void;
}

/**
 * Makes a model for tests that answers from a script. Its `generate` throws `SCRIPT_UNEXPECTED_REQUEST` when the script has no reply
 * for the request, `OPTION_INVALID` for `tokens` that are not the text, and `VALUE_NOT_JSON` for a reply that is not JSON.
 *
 * @example
 * const model = scriptedModel([
 *   { task: 'react.reason', reply: { toolCalls: [{ name: 'add', arguments: { a: 1, b: 2 } }] } },
 *   { task: 'react.reason', reply: 'The sum is 3.' },
 * ]);
 */
export function scriptedModel(replies: Script, { name = 'scripted' }: { readonly name?: string } = {}): ScriptedModel {
  const queues = toQueues(replies);
  const requests: ChatRequest[] = [];

  return {
    name,
    requests,
    async generate(request): Promise<ChatReply> {
      request.signal?.throwIfAborted();
      requests.push(request);
      const { reply, usage, check, tokens, reasoning, providerData } = take(queues, request.task);
      check?.(request);
      if (reasoning !== undefined) request.onReasoning?.(reasoning);
      if (reply instanceof Error) {
        deliver(tokens ?? [], request);
        throw reply;
      }
      const answer = toChatReply(reply, { model: name, usage });
      if (tokens && tokens.join('') !== answer.text) throw notTheText(tokens, answer.text);
      deliver(tokens ?? (answer.text === '' ? [] : [answer.text]), request);
      return { ...answer, ...(reasoning === undefined ? {} : { reasoning }), ...(providerData === undefined ? {} : { providerData }) };
    },
    assertConsumed(): void {
      const unused = queues.flat().map(taskName);
      if (unused.length === 0) return;
      throw new WorkflowError({
        code: 'SCRIPT_UNUSED_REPLIES',
        message: `The script has unused replies, for: ${unused.join(', ')}.`,
        hint: 'Remove them from the script, or find out why the workflow did not ask.',
        data: { unused },
      });
    },
  };
}

/** One queue for a list, one for each task of a record. */
function toQueues(replies: Script): ScriptedReply[][] {
  if (isList(replies)) return [[...replies]];
  return Object.entries(replies).map(([task, list]) => list.map((reply) => ({ ...reply, task })));
}

function take(queues: readonly ScriptedReply[][], task: string): ScriptedReply {
  const queue = queues.find(([next]) => next && (next.task ?? task) === task);
  const reply = queue?.shift();
  if (reply) return reply;
  const expected = queues.flatMap((waiting) => waiting.slice(0, 1)).map(taskName);
  throw new WorkflowError({
    code: 'SCRIPT_UNEXPECTED_REQUEST',
    message: `The script was asked for "${task}", but ${expected.length === 0 ? 'has no reply left' : `expects ${expected.join(' or ')}`}.`,
    hint: 'Add the reply to the script at this place, or find out why the workflow asked.',
    data: { asked: task, expected },
  });
}

function notTheText(tokens: readonly string[], text: string): WorkflowError {
  return new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The tokens ${JSON.stringify(tokens)} do not make up the text ${JSON.stringify(text)}.`,
    hint: 'Split the text itself into tokens.',
  });
}

const taskName = ({ task }: ScriptedReply): string => (task === undefined ? 'any task' : `"${task}"`);

// `Array.isArray` does not narrow a readonly array away
const isList = (replies: Script): replies is readonly ScriptedReply[] => Array.isArray(replies);
