import type { ChatRequest } from '../core/ports/chat-model.ts';
import type { Json } from '../core/ports/json.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import { guardsAt, judgeValue, unheld } from '../core/util/apply-guards.ts';
import { mapJsonText } from '../core/util/map-json-text.ts';
import type { AskModelOptions } from './ask-model.ts';
import { filterLinks, readUrls } from './foreign-links.ts';

export interface GuardAnswerOptions extends Pick<AskModelOptions, 'links' | 'holdAnswers'> {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'guards'>;
}

/**
 * Checks an answer that is no reply to a request, such as the output of a tool, as `askModel` checks a reply: by the guards of the border
 * `answer`, as a final answer, then by the rule for images and links. A value that is not a string is checked as JSON text.
 *
 * @param about Task of the agent, and the messages from which the answer was made.
 * @returns The checked answer, with the names of the guards that hold it, if `holdAnswers` is set.
 * @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED`.
 * @example const { value } = await guardAnswer(output, { task: 'shop.agent', messages }, { io, ...answerLinks(state.taint, []) });
 */
export async function guardAnswer(
  answer: Json,
  { task, messages }: Pick<ChatRequest, 'task' | 'messages'>,
  { io, links, holdAnswers = false }: GuardAnswerOptions,
): Promise<{ readonly value: Json; readonly heldBy: readonly string[] }> {
  const context = { border: 'answer', signal: io.signal, exchange: { task, messages }, part: 'final' } as const;
  const judged = await judgeValue(guardsAt(io.guards, 'answer'), answer, context, io.emit);
  const { value, heldBy } = holdAnswers ? judged : unheld(judged, 'answer');
  if (!links) return { value, heldBy };
  const sources = readUrls(messages);
  const clean = (text: string): string => filterLinks(text, links, sources);
  if (typeof value === 'string') return { value: clean(value), heldBy };
  const text = mapJsonText(JSON.stringify(value), clean);
  return { value: text === undefined ? value : (JSON.parse(text) as Json), heldBy };
}
