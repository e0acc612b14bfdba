import { isObject } from '../core/util/is-object.ts';
import { parseJson } from '../core/util/parse-json.ts';
import type { HumanEvent, Interrupt, Json, JsonObject } from '../index.ts';
import { breakAt, oneLine, paint, printableJson, wrap } from './terminal.ts';

interface ToolCallQuestion extends JsonObject {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly reason: string;
  readonly notice: string | null;
  readonly more: number;
}

/** True for the question of a waiting call. */
export const isToolCallQuestion = (question: Json | undefined): question is ToolCallQuestion =>
  typeof question === 'object' && question !== null && 'tool' in question && 'arguments' in question;

/** Describes a waiting call: the tool, its exact arguments, and the reason for the question. */
export function describeApproval({ tool, arguments: args, reason, notice, more }: ToolCallQuestion): readonly string[] {
  const columns = breakAt(process.stderr);
  return [
    `Approve this exact call of ${oneLine(tool)}?`,
    ...printableJson(args, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    ...wrap(`  reason: ${oneLine(reason, 400)}`, columns, 4),
    ...(notice === null ? [] : wrap(`  Your edit is invalid: ${oneLine(notice, 400)}`, columns, 4)),
    ...(more === 0 ? [] : [`  ${more} more ${more === 1 ? 'call waits' : 'calls wait'} behind it.`]),
  ];
}

/** JSON fields of an answer to a waiting call, for the command that sends it. */
export function approvalExample({ question }: Interrupt, event: string): string | undefined {
  if (!isToolCallQuestion(question)) return undefined;
  if (event === 'EDIT') return printableJson({ arguments: question.arguments });
  return event === 'REJECT' ? '{"reason":"…"}' : undefined;
}

/**
 * Asks for a decision on a call. Only `a` (or `approve`, `승인`) approves, and only `r` rejects; after any other text the question is
 * repeated.
 *
 * @param ask Shows a question; returns `undefined` when the input has ended.
 */
export async function askApproval(
  ask: (question: string) => Promise<string | undefined>,
  say: (text: string) => void,
): Promise<HumanEvent | undefined> {
  for (;;) {
    const answer = (await ask(paint('bold', '[a]pprove  [e]dit  [r]eject: ')))?.trim();
    if (answer === undefined) return undefined;
    if (/^(?:a|approve|승인)$/i.test(answer)) return { type: 'APPROVE' };
    if (/^(?:r|reject|거절)$/i.test(answer)) {
      const reason = await ask('Why not? ');
      return reason === undefined ? undefined : { type: 'REJECT', reason: reason.trim() || 'No reason given.' };
    }
    if (/^(?:e|edit|편집)$/i.test(answer)) {
      const text = await ask('New arguments, as JSON: ');
      if (text === undefined) return undefined;
      const args = readObject(text);
      if (args) return { type: 'EDIT', arguments: args };
      say('This is not a JSON object.');
    } else if (answer !== '') say('Nothing was approved. Answer with a, e or r.');
  }
}

function readObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
