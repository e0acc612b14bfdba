import { WorkflowError } from '../errors.ts';
import type { ChatMessage, ChatModel, ChatRequest } from '../ports/chat-model.ts';
import type { JsonSchema } from '../ports/json.ts';
import type { NodeIo } from '../ports/node-io.ts';
import type { SchemaValidator } from '../ports/schema-validator.ts';
import { ajvValidator } from '../schema/ajv-validator.ts';
import { parseModelJson } from '../util/parse-model-json.ts';
import { maxShown, shownList } from '../util/shown-list.ts';
import { askModel } from './ask-model.ts';

export interface AskJsonOptions {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'step'>;
  /** Form of the reply, an object. */
  readonly schema: JsonSchema;
  /** Name of the journaled step, for a node that asks the same task more than once in a visit. Default: the task. */
  readonly step?: string;
  /** How often the model is asked again, with the reasons, when its reply is refused. @default 1 */
  readonly maxRepairs?: number;
  /** @default ajvValidator */
  readonly validator?: SchemaValidator;
}

/**
 * Asks a model for JSON and checks it: nothing is repaired and nothing is guessed.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` with every reason, when the last reply is refused; and what `askModel` throws.
 * @example const { route } = await askJson<{ route: string }>(model, { task: 'chat_agent.router', messages }, { io, schema });
 */
export async function askJson<T>(model: ChatModel, request: ChatRequest, options: AskJsonOptions): Promise<T> {
  const { io, schema, step = request.task, maxRepairs = 1, validator = ajvValidator } = options;
  const output = { type: 'json-schema', name: request.task.replaceAll(/[^a-zA-Z0-9_-]/g, '_'), schema } as const;
  let messages: readonly ChatMessage[] = request.messages;
  for (let attempt = 0; ; attempt++) {
    const ask = async (): Promise<string> => (await askModel(model, { ...request, messages, output }, { io })).text;
    // one commit less where there is nothing to lose: a single call's reply goes into its node's own outcome
    const text = maxRepairs === 0 ? await ask() : await io.step(`ask_${step}_${attempt + 1}`, ask);
    try {
      return parseJsonReply<T>(text, schema, validator);
    } catch (error) {
      if (!WorkflowError.isInstance(error) || attempt >= maxRepairs) throw error;
      messages = [
        ...messages,
        { role: 'assistant', content: text },
        { role: 'user', content: `${error.message}\nAnswer again with one JSON object of the required form, and nothing else.` },
      ];
    }
  }
}

/**
 * Reads a reply that should be JSON: the whole text, or exactly one fenced block, of the form that the schema says.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` with every reason.
 */
export function parseJsonReply<T>(text: string, schema: JsonSchema, validator: SchemaValidator = ajvValidator): T {
  const value = parseModelJson(text);
  const compiled = validator.compile(schema);
  const issues = compiled.ok ? compiled.check(value) : [{ path: '', message: compiled.reason }];
  if (issues.length === 0) return value as T;
  throw new WorkflowError({
    code: 'MODEL_OUTPUT_INVALID',
    message: `The model's reply was refused: ${shownList(issues.map(({ path, message }) => `${path} ${message}`.trim()))}.`,
    hint: 'Ask again, or use a model that keeps to the form.',
    data: { issues: issues.slice(0, maxShown).map(({ path, message }) => ({ path, message })) },
  });
}
