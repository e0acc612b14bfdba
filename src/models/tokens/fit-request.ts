import { WorkflowError } from '../../core/errors/errors.ts';
import type { ChatMessage, ChatRequest, ModelToolCall } from '../../core/ports/chat-model.ts';
import { withoutFiles } from '../../core/util/without-files.ts';
import { boundMessageTokens, boundTokens, mostTokensPerUnit, providerTokens } from './bound-tokens.ts';
import { cutToTokens, tokensUpTo } from './cut-to-tokens.ts';
import { filesTokens } from './file-tokens.ts';
import { messageText } from './message-text.ts';
import { shareBudget, type Wish } from './share-budget.ts';

/** Overhead of a message in tokens, without its texts. */
const tokensPerMessage = boundMessageTokens({ role: 'user', content: '' });
/** Maximum number of tokens reserved for the reply; a quarter in a small context. */
const maxReplyTokens = 4_096;
const minTextTokens = 48;
/** Minimum length of a text, in tokens, before the oldest messages are left out instead. */
const fairTextTokens = 160;
/** Weight of the user's latest message, relative to another text. */
const questionWeight = 4;
/** Maximum share of the system messages while there are others. */
const systemShare = 0.6;

/** Maximum share of a context that a reply limit may reserve. A larger limit is a mistake, left for the provider to reject. */
const mostReplyShare = 0.75;

/**
 * Maximum number of tokens of a request, given `contextTokens` for request and reply together. `maxOutputTokens` is the reply limit, which
 * some servers always reserve in full. Default: 4,096, at most a quarter.
 */
export const requestTokens = (contextTokens: number, maxOutputTokens?: number): number =>
  contextTokens -
  (maxOutputTokens === undefined
    ? Math.min(maxReplyTokens, Math.floor(contextTokens / 4))
    : Math.min(maxOutputTokens, mostReplyTokens(contextTokens)));

/** Maximum number of tokens reserved for a reply, whatever the limit. */
export const mostReplyTokens = (contextTokens: number): number => Math.floor(contextTokens * mostReplyShare);

/** Returns the context in which a request has this many tokens; the inverse of `requestTokens`. */
export const contextTokensFor = (tokens: number, maxOutputTokens?: number): number =>
  tokens +
  (maxOutputTokens === undefined
    ? Math.min(maxReplyTokens, Math.ceil(tokens / 3))
    : Math.min(maxOutputTokens, Math.ceil((tokens * mostReplyShare) / (1 - mostReplyShare))));

/** Upper bound of all tokens of a request. */
export const boundRequestTokens = (request: Pick<ChatRequest, 'messages' | 'tools' | 'output'>): number =>
  request.messages.reduce((sum, message) => sum + boundMessageTokens(message), frameTokens(request));

/** Tokens of a request besides its messages: tools and the form of the reply. */
export function frameTokens({ tools = [], output }: Pick<ChatRequest, 'tools' | 'output'>): number {
  const form = output?.type === 'json-schema' ? [output.schema] : [];
  return [...tools, ...form].reduce<number>((sum, part) => sum + tokensPerMessage + boundTokens(JSON.stringify(part)), 0);
}

/**
 * Fits a request into a model's context. One that fits is returned unchanged. Otherwise its longest texts are cut (`cutToTokens`). If they
 * would become too short, the oldest messages are left out, a call always with its results. A mark states what is left out. The user's
 * latest message and the messages after it stay. Files are replaced with text first, starting with the oldest; those of that message stay.
 *
 * @param maxOutputTokens Limit of the model, for requests without their own.
 * @throws {WorkflowError} `CONTEXT_TOO_SMALL` when not even system, tools and question fit.
 * @example const request = fitRequest({ task, messages, tools }, 32_768);
 */
export function fitRequest<TRequest extends ChatRequest>(request: TRequest, contextTokens: number, maxOutputTokens?: number): TRequest {
  const tokens = requestTokens(contextTokens, request.maxOutputTokens ?? maxOutputTokens);
  if (alwaysFits(request, tokens)) return request;
  const budget = tokens - frameTokens(request);
  if (budget > 0 && tokensOf(request.messages, budget) <= budget) return request;
  const messages = withFilesInRoom(request.messages, budget);
  if (budget > 0 && tokensOf(messages, budget) <= budget) return { ...request, messages };
  const systems = messages.filter(isSystem);
  const units = toUnits(messages.filter((message) => !isSystem(message)));
  const systemRoom = Math.max(Math.floor(budget * systemShare), budget - unitsTokens(units, budget));
  const system = fitTexts(
    systems.map((message) => [message, 1]),
    Math.min(systemRoom, tokensOf(systems, systemRoom) + systems.length),
  );
  const room = budget - (system ? tokensOf(system, budget) : 0) - omissionTokens;
  const { kept, leftOut } = newest(units, room);
  const fitted = fitTexts(
    kept.flatMap(({ messages, weight }) => messages.map((message) => [message, weight] as const)),
    room,
  );
  if (!system || !fitted) throw contextTooSmall(contextTokens);
  return { ...request, messages: [...addOmission(system, leftOut), ...fitted] };
}

/**
 * Checks before the first request that a model's context is large enough: system prompt and tools must leave room for a question.
 *
 * @throws {WorkflowError} `CONTEXT_TOO_SMALL`.
 */
export function checkContext({ messages, ...frame }: Pick<ChatRequest, 'messages' | 'tools' | 'output'>, contextTokens: number): void {
  const budget = requestTokens(contextTokens) - frameTokens(frame);
  const system = tokensOf(messages.filter(isSystem), contextTokens);
  if (system > budget * systemShare || budget - system < leastTalkTokens) throw contextTooSmall(contextTokens);
}

/** Minimum number of tokens for the question and the conversation about it. */
const leastTalkTokens = 200;

const contextTooSmall = (contextTokens: number): WorkflowError =>
  new WorkflowError({
    code: 'CONTEXT_TOO_SMALL',
    message: `A request does not fit a context of ${contextTokens} tokens, even after cutting.`,
    hint: 'Raise contextTokens (--context-tokens) to the context of the model, or offer fewer tools.',
    data: { contextTokens },
  });

const isSystem = ({ role }: ChatMessage): boolean => role === 'system';

/** Replaces files with text until the messages fit: of earlier messages first, then of the current tool results. The question's stay. */
function withFilesInRoom(messages: readonly ChatMessage[], budget: number): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  let fitting = messages;
  for (const [i, message] of messages.entries()) {
    if (i === last || filesTokens(message) === 0) continue;
    fitting = fitting.with(i, withoutFiles(message));
    if (tokensOf(fitting, budget) <= budget) break;
  }
  return fitting;
}

/** Decides by length alone, without reading each character, because most requests are far smaller than a context. */
function alwaysFits({ messages, tools = [], output }: ChatRequest, tokens: number): boolean {
  const form = output?.type === 'json-schema' ? [output.schema] : [];
  let left = tokens;
  for (const part of [...tools, ...form]) left -= most(JSON.stringify(part));
  for (const message of messages) {
    if (left < 0) return false;
    left -= most(messageText(message)) + providerTokens(message) + filesTokens(message);
  }
  return messages.length > 0 && left >= 0;
}

/** Upper bound of a text's tokens in a request, including its overhead. */
const most = (text: string): number => tokensPerMessage + text.length * mostTokensPerUnit + 1;

/** Stops counting beyond `most`. */
function tokensOf(messages: readonly ChatMessage[], most: number): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += message.content.length > most * 4 ? most + 1 : boundMessageTokens(message);
    if (tokens > most) break;
  }
  return tokens;
}

/** Messages that are kept or left out together: a call with its results, or a single message. */
interface Unit {
  readonly messages: readonly ChatMessage[];
  readonly weight: number;
  /** True when the unit may not be left out. */
  readonly stays: boolean;
}

function toUnits(messages: readonly ChatMessage[]): readonly Unit[] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === 'tool' && last && last[0]?.role === 'assistant') last.push(message);
    else groups.push([message]);
  }
  const question = groups.findLastIndex(([first]) => first?.role === 'user');
  return groups.map((group, i) => ({
    messages: group,
    weight: i === question ? questionWeight : 1,
    stays: i === question || i === groups.length - 1,
  }));
}

const unitsTokens = (units: readonly Unit[], most: number): number =>
  tokensOf(
    units.flatMap(({ messages }) => messages),
    most,
  );

/** Keeps as many of the newest units as fit when each long text is cut to a fair length. */
function newest(units: readonly Unit[], room: number): { readonly kept: readonly Unit[]; readonly leftOut: number } {
  const costs = units.map(({ messages, stays }) =>
    messages.reduce((sum, message) => sum + leastTokens(message, stays ? minTextTokens : fairTextTokens), 0),
  );
  let left = room - costs.reduce((sum, cost, i) => sum + (units[i]?.stays ? cost : 0), 0);
  const kept = new Set(units.filter(({ stays }) => stays));
  let leftOut = 0;
  for (const [i, unit] of [...units.entries()].reverse()) {
    if (unit.stays) continue;
    left -= costs[i] ?? 0;
    if (left < 0) leftOut += unit.messages.length;
    else kept.add(unit);
  }
  return { kept: units.filter((unit) => kept.has(unit)), leftOut };
}

/** A text of a message that may be cut. */
interface Part extends Wish {
  readonly text: string;
}

function partsOf(message: ChatMessage, weight: number, most: number): readonly Part[] {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [message.content, ...calls.map(({ arguments: argsText }) => argsText)].map((text) => ({
    text,
    weight,
    size: tokensUpTo(text, most),
  }));
}

/** Tokens of a message that cannot be cut. Each text may need one more, where it is joined to another. */
const fixedTokens = (message: ChatMessage): number =>
  tokensPerMessage +
  1 +
  providerTokens(message) +
  filesTokens(message) +
  (message.role === 'assistant' ? (message.toolCalls ?? []).reduce((sum, { name }) => sum + boundTokens(name) + 3, 0) : 0);

const leastTokens = (message: ChatMessage, textTokens: number): number =>
  fixedTokens(message) + partsOf(message, 1, textTokens).reduce((sum, { size }) => sum + Math.min(size, textTokens), 0);

/** Cuts the longest texts of some messages; `undefined` if no cut makes them fit. */
function fitTexts(
  messages: readonly (readonly [message: ChatMessage, weight: number])[],
  room: number,
): readonly ChatMessage[] | undefined {
  const left = messages.reduce((sum, [message]) => sum - fixedTokens(message), room);
  const parts = messages.map(([message, weight]) => partsOf(message, weight, Math.max(0, left)));
  const wishes = parts.flat();
  const least = wishes.map(({ size }) => Math.min(size, minTextTokens));
  const rest = least.reduce((sum, size) => sum - size, left);
  if (rest < 0) return undefined;
  const more = shareBudget(
    wishes.map(({ size, weight }, i) => ({ size: size - (least[i] ?? 0), weight })),
    rest,
  );
  let next = 0;
  return messages.map(([message], i) => {
    const [contentShare = 0, ...callShares] = (parts[i] ?? []).map(() => (least[next] ?? 0) + (more[next++] ?? 0));
    const content = cutToTokens(message.content, contentShare);
    if (message.role !== 'assistant' || !message.toolCalls) return { ...message, content };
    return { ...message, content, toolCalls: message.toolCalls.map((call, n) => cutArguments(call, callShares[n] ?? 0)) };
  });
}

/** Replaces long arguments with a placeholder, because truncated JSON is invalid. */
const cutArguments = (call: ModelToolCall, maxTokens: number): ModelToolCall =>
  tokensUpTo(call.arguments, maxTokens) <= maxTokens
    ? call
    : { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters` }) };

/** Tokens reserved for the sentence with the number of messages left out. */
const omissionTokens = 28;

/** Appends the number of messages left out to the system message, or adds one. */
function addOmission(system: readonly ChatMessage[], leftOut: number): readonly ChatMessage[] {
  if (leftOut === 0) return system;
  const note = `[… ${leftOut} earlier messages left out …]`;
  const last = system.at(-1);
  return [...system.slice(0, -1), { role: 'system', content: last ? `${last.content}\n\n${note}` : note }];
}
