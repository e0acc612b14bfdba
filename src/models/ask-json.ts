import type { ChatModel, ChatRequest } from '../ports/chat-model.ts';
import type { NodeIo } from '../ports/node-io.ts';
import { askUntilRead } from './ask-until-read.ts';
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
  const { io, step, maxRepairs, ...form } = options;
  const name = request.task.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const output = { type: 'json-schema', name, schema: replySchemaOf(form) } as const;
  return askUntilRead(
    model,
    { ...request, output },
    {
      io,
      read: (text) => parseJsonReply(text, form),
      again: 'Answer again with one JSON object of the required form, and nothing else.',
      ...(step === undefined ? {} : { step }),
      ...(maxRepairs === undefined ? {} : { maxRepairs }),
    },
  );
}
