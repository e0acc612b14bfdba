import type { ChatModel, ChatRequest } from '../core/ports/chat-model.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import { askUntilRead } from './ask-until-read.ts';
import { parseJsonReply, type ReplyForm, replySchemaOf } from './parse-json-reply.ts';

/** Form of the reply, and options of the request. */
export type AskJsonOptions<T> = ReplyForm<T> & {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'step' | 'guards' | 'reserve'>;
  /** Name of the journaled step. Needed for a node that requests the same task more than once in a visit. Default: the task. */
  readonly step?: string;
  /** Maximum number of retries after a rejected reply; each sends the reasons to the model. @default 1 */
  readonly maxRepairs?: number;
};

/**
 * Requests JSON from a model and validates it. Invalid replies are neither repaired nor guessed. The result has the type of the schema.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` with every reason, when the last reply is rejected; `OPTION_INVALID` for a schema without
 * a JSON Schema; and the errors of `askModel`.
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
