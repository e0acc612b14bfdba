import { WorkflowError } from '../core/errors/errors.ts';
import type { ChatModel, ChatReply, ChatRequest, ProviderData } from '../core/ports/chat-model.ts';
import type { TokenUsage } from '../core/ports/run-event.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { deliver, type ModelAnswer, toChatReply } from './model-answer.ts';

/** One reply of a script. */
export interface ScriptedReply {
  /** Expected task of the request. Default: every task. */
  readonly task?: string;
  /** Answer of the model; an `Error` is thrown instead. */
  readonly reply: ModelAnswer | Error;
  /** Usage of the reply. @default { inputTokens: 0, outputTokens: 0 } */
  readonly usage?: TokenUsage;
  /** Checks the request before the reply; an error that it throws rejects `generate`. */
  readonly check?: (request: ChatRequest) => void;
  /**
   * Pieces sent to `onToken`; joined, they must equal the text. Before an `Error` they may be any text, as in a cut stream. Default: the
   * text in one piece.
   */
  readonly tokens?: readonly string[];
  /** Reasoning before the answer, sent to `onReasoning`. Default: none. */
  readonly reasoning?: string;
  /** Provider data to send back with the message. Default: none. */
  readonly providerData?: ProviderData;
}

/** Replies in the order of the requests, or in that order for each task if tasks run in parallel. */
export type Script = readonly ScriptedReply[] | Readonly<Record<string, readonly Omit<ScriptedReply, 'task'>[]>>;

/** A model with scripted replies. */
export interface ScriptedModel extends ChatModel {
  /** All requests so far, including unexpected ones. */
  readonly requests: readonly ChatRequest[];
  /**
   * Checks that all replies have been used.
   * @throws {WorkflowError} `SCRIPT_UNUSED_REPLIES` for unused replies.
   */
  assertConsumed(): void;
}

/**
 * Creates a model for tests that answers from a script. Its `generate` throws `SCRIPT_UNEXPECTED_REQUEST` for a request without a scripted
 * reply. It throws `OPTION_INVALID` for `tokens` that differ from the text, and `VALUE_NOT_JSON` for a reply that is not JSON.
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
        message: `The script has unused replies for: ${unused.join(', ')}.`,
        hint: 'Remove them from the script, or find out why the workflow did not request them.',
        data: { unused },
      });
    },
  };
}

/** Builds one queue for a list, or one for each task of a record. */
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
    message: `The script received a request for "${task}", but ${expected.length === 0 ? 'has no reply left' : `expects ${expected.join(' or ')}`}.`,
    hint: 'Add the reply to the script at this place, or find out why the workflow made the request.',
    data: { asked: task, expected },
  });
}

function notTheText(tokens: readonly string[], text: string): WorkflowError {
  return optionInvalid(
    `The tokens ${JSON.stringify(tokens)} do not make up the text ${JSON.stringify(text)}.`,
    'Split the text itself into tokens.',
  );
}

const taskName = ({ task }: ScriptedReply): string => (task === undefined ? 'any task' : `"${task}"`);

// Needed because `Array.isArray` does not narrow a readonly array
const isList = (replies: Script): replies is readonly ScriptedReply[] => Array.isArray(replies);
