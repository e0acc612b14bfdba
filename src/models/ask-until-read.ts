import type { ChatMessage, ChatModel, ChatRequest } from '../ports/chat-model.ts';
import type { NodeIo } from '../ports/node-io.ts';
import { hasCode } from '../util/has-code.ts';
import { askModel } from './ask-model.ts';

export interface AskUntilReadOptions<T> {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'step'>;
  /** Reads the reply's text; throws `MODEL_OUTPUT_INVALID` or `PLAN_REJECTED` to refuse it, with the reasons that the model is told. */
  readonly read: (text: string) => T;
  /** What the model is told behind the reasons. */
  readonly again: string;
  /** How often it is asked again. @default 1 */
  readonly maxRepairs?: number;
  /** Name of the journaled step, for a node that asks the same task more than once in a visit. Default: the task. */
  readonly step?: string;
}

/**
 * Asks a model until its reply can be read: again with the reasons when it is refused. Nothing is repaired and nothing is guessed.
 *
 * @throws {WorkflowError} what `read` throws of the last reply, and what `askModel` throws.
 * @example const plan = await askUntilRead(model, request, { io, read: (text) => parsePlan(text, { tools }), again: 'Plan again.' });
 */
export async function askUntilRead<T>(model: ChatModel, request: ChatRequest, options: AskUntilReadOptions<T>): Promise<T> {
  const { io, read, again, maxRepairs = 1, step = request.task } = options;
  let messages: readonly ChatMessage[] = request.messages;
  for (let attempt = 0; ; attempt++) {
    const ask = async (): Promise<string> => (await askModel(model, { ...request, messages }, { io })).text;
    // one commit less where there is nothing to lose: a single call's reply goes into its node's own outcome
    const text = maxRepairs === 0 ? await ask() : await io.step(`ask_${step}_${attempt + 1}`, ask);
    try {
      return read(text);
    } catch (error) {
      if (!hasCode(error, 'MODEL_OUTPUT_INVALID', 'PLAN_REJECTED') || attempt >= maxRepairs) throw error;
      messages = [...messages, { role: 'assistant', content: text }, { role: 'user', content: `${error.message}\n${again}` }];
    }
  }
}
