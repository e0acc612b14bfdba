import type { ChatMessage, ChatModel, ChatRequest } from '../core/ports/chat-model.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import { hasCode } from '../core/util/has-code.ts';
import { repairMessage } from '../core/util/repair-message.ts';
import { askModel } from './ask-model.ts';

export interface AskUntilReadOptions<T> {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'step' | 'guards' | 'reserve'>;
  /** Parses the reply's text. Throws `MODEL_OUTPUT_INVALID` or `PLAN_REJECTED` to reject it; the reasons are sent to the model. */
  readonly read: (text: string) => T;
  /** Instruction sent to the model after the reasons. */
  readonly again: string;
  /** Maximum number of retries after a rejected reply. @default 1 */
  readonly maxRepairs?: number;
  /** Name of the journaled step. Needed for a node that requests the same task more than once in a visit. Default: the task. */
  readonly step?: string;
}

/**
 * Calls a model until its reply can be read; each retry sends the reasons of the rejection. Replies are neither repaired nor guessed.
 *
 * @throws {WorkflowError} the error that `read` throws for the last reply, and the errors of `askModel`.
 * @example const plan = await askUntilRead(model, request, { io, read: (text) => parsePlan(text, { tools }), again: 'Plan again.' });
 */
export async function askUntilRead<T>(model: ChatModel, request: ChatRequest, options: AskUntilReadOptions<T>): Promise<T> {
  const { io, read, again, maxRepairs = 1, step = request.task } = options;
  let messages: readonly ChatMessage[] = request.messages;
  for (let attempt = 0; ; attempt++) {
    const ask = async (): Promise<string> => (await askModel(model, { ...request, messages }, { io })).text;
    // saves one commit: the reply of a single call is stored with its node's own outcome
    const text = maxRepairs === 0 ? await ask() : await io.step(`ask_${step}_${attempt + 1}`, ask);
    try {
      return read(text);
    } catch (error) {
      if (!hasCode(error, 'MODEL_OUTPUT_INVALID', 'PLAN_REJECTED') || attempt >= maxRepairs) throw error;
      messages = [...messages, { role: 'assistant', content: text }, repairMessage(`${error.message}\n${again}`)];
    }
  }
}
