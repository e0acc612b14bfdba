import type { ChatMessage, ChatModel, ChatRequest } from '../ports/chat-model.ts';
import type { NodeIo } from '../ports/node-io.ts';
import { hasCode } from '../util/has-code.ts';
import { askModel } from './ask-model.ts';
import { parseJsonReply, type ReplyForm, replySchemaOf } from './parse-json-reply.ts';

/** The form of the reply, and how it is asked for. */
export type AskJsonOptions<T> = ReplyForm<T> & {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'step'>;
  /** Name of the journaled step, for a node that asks the same task more than once in a visit. Default: the task. */
  readonly step?: string;
  /** How often the model is asked again, with the reasons, when its reply is refused. @default 1 */
  readonly maxRepairs?: number;
};

/**
 * Asks a model for JSON and checks it: nothing is repaired and nothing is guessed. What it returns has the type of the schema.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` with every reason, when the last reply is refused; `OPTION_INVALID` for a schema that has
 *   no JSON Schema; and what `askModel` throws.
 * @example
 * const schema = z.strictObject({ route: z.enum(['rag', 'agent']) });
 * const { route } = await askJson(model, { task: 'chat_agent.router', messages }, { io, schema });
 */
export async function askJson<T>(model: ChatModel, request: ChatRequest, options: AskJsonOptions<T>): Promise<T> {
  const { io, step = request.task, maxRepairs = 1, ...form } = options;
  const name = request.task.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const output = { type: 'json-schema', name, schema: replySchemaOf(form) } as const;
  let messages: readonly ChatMessage[] = request.messages;
  for (let attempt = 0; ; attempt++) {
    const ask = async (): Promise<string> => (await askModel(model, { ...request, messages, output }, { io })).text;
    // one commit less where there is nothing to lose: a single call's reply goes into its node's own outcome
    const text = maxRepairs === 0 ? await ask() : await io.step(`ask_${step}_${attempt + 1}`, ask);
    try {
      return parseJsonReply(text, form);
    } catch (error) {
      if (!hasCode(error, 'MODEL_OUTPUT_INVALID') || attempt >= maxRepairs) throw error;
      messages = [
        ...messages,
        { role: 'assistant', content: text },
        { role: 'user', content: `${error.message}\nAnswer again with one JSON object of the required form, and nothing else.` },
      ];
    }
  }
}
