import { asJson } from '../core/util/as-json.ts';
import type { Json, JsonObject, MessageFile } from '../index.ts';
import type { Settings } from './settings.ts';

/** Input of a workflow for a question. `user` is for workflows with user memories. */
export const toInput = (question: string, { user }: Pick<Settings, 'user'>, files: readonly MessageFile[] = []): JsonObject => ({
  input: question,
  ...(files.length === 0 ? {} : { files: asJson(files) }),
  ...(user === undefined ? {} : { userId: user }),
});

/**
 * Field names of the question and the answer: the current ones, and those of version 1 of the workflows, whose runs may still be stored.
 */
const questionNames = ['input', 'userMessage'];
const answerNames = ['answer', 'result', 'finalResponse', 'finalGuide'];

/** Question of a stored input; `undefined` if there is none. */
export const questionOf = (input: Json): string | undefined => textIn(input, questionNames);

/** Answer of an output; the whole output for a workflow that this program does not have. */
export function answerOf(output: Json, { foreign = false }: { readonly foreign?: boolean } = {}): string {
  if (!foreign) return textIn(output, answerNames) ?? '';
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}

function textIn(value: Json, names: readonly string[]): string | undefined {
  const fields = (value ?? {}) as JsonObject;
  return names.map((name) => fields[name]).find((field) => typeof field === 'string');
}
