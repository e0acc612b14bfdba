import type { Json, JsonObject, MessageFile } from '../index.ts';
import { asJson } from '../util/as-json.ts';
import type { Settings } from './settings.ts';

/** The input of a workflow for a question; `user` for a workflow that knows users. */
export const toInput = (question: string, { user }: Pick<Settings, 'user'>, files: readonly MessageFile[] = []): JsonObject => ({
  input: question,
  ...(files.length === 0 ? {} : { files: asJson(files) }),
  ...(user === undefined ? {} : { userId: user }),
});

/** Names of the question and of the answer: today's, and those of version 1 of the workflows, whose runs are still in databases. */
const questionNames = ['input', 'userMessage'];
const answerNames = ['answer', 'result', 'finalResponse', 'finalGuide'];

/** The question in a stored input; `undefined` when there is none. */
export const questionOf = (input: Json): string | undefined => textIn(input, questionNames);

/** The answer in an output. Of a workflow that this program does not have, the whole output. */
export function answerOf(output: Json, { foreign = false }: { readonly foreign?: boolean } = {}): string {
  if (!foreign) return textIn(output, answerNames) ?? '';
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}

function textIn(value: Json, names: readonly string[]): string | undefined {
  const fields = (value ?? {}) as JsonObject;
  return names.map((name) => fields[name]).find((field) => typeof field === 'string');
}
