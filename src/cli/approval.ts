import { isObject } from '../core/util/is-object.ts';
import { parseJson } from '../core/util/parse-json.ts';
import type { HumanEvent, Interrupt, Json, JsonObject } from '../index.ts';
import { breakAt, oneLine, paint, printableJson, wrap } from './terminal.ts';

interface ToolCallQuestion {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly reason: string;
  readonly notice: string | null;
  readonly more: number;
  /** All waiting calls, this one included. Absent in questions of earlier versions. */
  readonly calls?: readonly ShownCall[];
}

interface ShownCall {
  readonly key: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly reason: string;
  readonly notice: string | null;
}

/** True for the question of a waiting call. */
export const isToolCallQuestion = (question: unknown): question is ToolCallQuestion =>
  typeof question === 'object' && question !== null && 'tool' in question && 'arguments' in question;

/** The calls that one answer can decide together; empty if only the first one can be decided. */
const decidedTogether = ({ accepts, question }: Pick<Interrupt, 'accepts' | 'question'>): readonly ShownCall[] =>
  isToolCallQuestion(question) && accepts.includes('DECIDE') && question.calls && question.calls.length > 1 ? question.calls : [];

/** Describes waiting calls: the tools, their exact arguments, and the reasons for the question. */
export function describeApproval(interrupt: Interrupt): readonly string[] {
  const { question } = interrupt;
  if (!isToolCallQuestion(question)) return [];
  const calls = decidedTogether(interrupt);
  if (calls.length > 0)
    return [`${calls.length} calls wait for your approval:`, ...calls.flatMap((call, index) => describeCall(call, `${index + 1}. `))];
  const { more } = question;
  return [
    `Approve this exact call of ${oneLine(question.tool)}?`,
    ...describeArguments(question),
    ...(more === 0 ? [] : [`  ${more} more ${more === 1 ? 'call waits' : 'calls wait'} behind it.`]),
  ];
}

/** Says what the other answers decide when `DECIDE` would decide all. */
export const firstOnlyLines = (interrupt: Interrupt): readonly string[] =>
  decidedTogether(interrupt).length === 0 ? [] : ['  DECIDE decides all of them, any other answer the first one.'];

const describeCall = (call: ShownCall, number = ''): readonly string[] => [`${number}${oneLine(call.tool)}`, ...describeArguments(call)];

function describeArguments({ arguments: args, reason, notice }: Omit<ShownCall, 'key'>): readonly string[] {
  const columns = breakAt(process.stderr);
  return [
    ...printableJson(args, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    ...wrap(`  reason: ${oneLine(reason, 400)}`, columns, 4),
    ...(notice === null ? [] : wrap(`  Your edit is invalid: ${oneLine(notice, 400)}`, columns, 4)),
  ];
}

/** JSON fields of an answer to a waiting call, for the command that sends it. */
export function approvalExample({ question }: Interrupt, event: string): string | undefined {
  if (!isToolCallQuestion(question)) return undefined;
  if (event === 'EDIT') return printableJson({ arguments: question.arguments });
  if (event === 'DECIDE') {
    const decisions = (question.calls ?? []).map(({ key }, index) => [key, index === 0 ? 'approve' : { reject: '…' }]);
    return JSON.stringify({ decisions: Object.fromEntries(decisions) });
  }
  return event === 'REJECT' ? '{"reason":"…"}' : undefined;
}

/**
 * Asks for a decision on waiting calls: on all of them if the run accepts that, else on the first one.
 *
 * @param ask Shows a question; returns `undefined` when the input has ended.
 */
export async function askApprovals(
  interrupt: Interrupt,
  ask: (question: string) => Promise<string | undefined>,
  say: (text: string) => void,
): Promise<HumanEvent | undefined> {
  const calls = decidedTogether(interrupt);
  if (calls.length === 0) return askApproval(ask, say);
  for (;;) {
    const answer = (await ask(paint('bold', '[a]pprove all  [o]ne by one  [r]eject all: ')))?.trim();
    if (answer === undefined) return undefined;
    if (/^(?:a|approve|승인)$/i.test(answer)) return decide(calls.map(({ key }) => [key, 'approve']));
    if (/^(?:r|reject|거절)$/i.test(answer)) {
      const reason = await ask('Why not? ');
      return reason === undefined ? undefined : decide(calls.map(({ key }) => [key, { reject: reason.trim() || noReason }]));
    }
    if (/^(?:o|one|하나씩)$/i.test(answer)) return askEach(calls, ask, say);
    if (answer !== '') say('Nothing was approved. Answer with a, o or r.');
  }
}

async function askEach(
  calls: readonly ShownCall[],
  ask: (question: string) => Promise<string | undefined>,
  say: (text: string) => void,
): Promise<HumanEvent | undefined> {
  const decisions: [key: string, decision: Json][] = [];
  for (const [index, call] of calls.entries()) {
    say(describeCall(call, `${index + 1}. `).join('\n'));
    const answer = await askApproval(ask, say);
    if (!answer) return undefined;
    decisions.push([call.key, toDecision(answer)]);
  }
  return decide(decisions);
}

const toDecision = ({ type, reason, arguments: args }: HumanEvent): Json => {
  if (type === 'APPROVE') return 'approve';
  return type === 'EDIT' ? { arguments: (args ?? {}) as Json } : { reject: String(reason) };
};

const decide = (decisions: readonly (readonly [key: string, decision: Json])[]): HumanEvent => ({
  type: 'DECIDE',
  decisions: Object.fromEntries(decisions),
});

const noReason = 'No reason given.';

/**
 * Asks for a decision on a call. Only `a` (or `approve`, `승인`) approves, and only `r` rejects; after any other text the question is
 * repeated.
 *
 * @param ask Shows a question; returns `undefined` when the input has ended.
 */
async function askApproval(
  ask: (question: string) => Promise<string | undefined>,
  say: (text: string) => void,
): Promise<HumanEvent | undefined> {
  for (;;) {
    const answer = (await ask(paint('bold', '[a]pprove  [e]dit  [r]eject: ')))?.trim();
    if (answer === undefined) return undefined;
    if (/^(?:a|approve|승인)$/i.test(answer)) return { type: 'APPROVE' };
    if (/^(?:r|reject|거절)$/i.test(answer)) {
      const reason = await ask('Why not? ');
      return reason === undefined ? undefined : { type: 'REJECT', reason: reason.trim() || noReason };
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
