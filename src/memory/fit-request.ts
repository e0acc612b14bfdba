import { WorkflowError } from '../errors.ts';
import type { ChatMessage, ChatRequest, ModelToolCall } from '../ports/chat-model.ts';
import { withoutFiles } from '../util/without-files.ts';
import { boundMessageTokens, boundTokens, mostTokensPerUnit, providerTokens } from './bound-tokens.ts';
import { cutToTokens, tokensUpTo } from './cut-to-tokens.ts';
import { filesTokens } from './file-tokens.ts';
import { messageText } from './message-text.ts';
import { sharesOf, type Wish } from './shares-of.ts';

/** What a message costs besides its texts. */
const tokensPerMessage = boundMessageTokens({ role: 'user', content: '' });
/** Room for the reply: this much, or a quarter of a small context. */
const maxReplyTokens = 4_096;
/** No text is cut shorter. */
const minTextTokens = 48;
/** Rather than cut shorter than this, the oldest messages are left out. */
const fairTextTokens = 160;
/** The user's latest message gets this much more than another text. */
const questionWeight = 4;
/** Of what messages may have, the most for those of the system while there are others. */
const systemShare = 0.6;

/** Of a context, the most that a bound of the reply may keep free: more is a slip, and the provider's to refuse. */
const mostReplyShare = 0.75;

/**
 * How many tokens a request may have, where request and reply have `contextTokens` together. `maxOutputTokens`: the reply's bound, which
 * some servers keep free whatever the reply needs. Default: 4,096, at most a quarter.
 */
export const requestTokens = (contextTokens: number, maxOutputTokens?: number): number =>
  contextTokens -
  (maxOutputTokens === undefined
    ? Math.min(maxReplyTokens, Math.floor(contextTokens / 4))
    : Math.min(maxOutputTokens, mostReplyTokens(contextTokens)));

/** The most that is kept free for a reply, whatever bound is given. */
export const mostReplyTokens = (contextTokens: number): number => Math.floor(contextTokens * mostReplyShare);

/** The inverse of `requestTokens`: the context in which a request has this many tokens. */
export const contextTokensFor = (tokens: number, maxOutputTokens?: number): number =>
  tokens +
  (maxOutputTokens === undefined
    ? Math.min(maxReplyTokens, Math.ceil(tokens / 3))
    : Math.min(maxOutputTokens, Math.ceil((tokens * mostReplyShare) / (1 - mostReplyShare))));

/** All tokens of a request, estimated from above. */
export const boundRequestTokens = (request: Pick<ChatRequest, 'messages' | 'tools' | 'output'>): number =>
  request.messages.reduce((sum, message) => sum + boundMessageTokens(message), frameTokens(request));

/** What a request has besides its messages: tools and the form of the reply. */
export function frameTokens({ tools = [], output }: Pick<ChatRequest, 'tools' | 'output'>): number {
  const form = output?.type === 'json-schema' ? [output.schema] : [];
  return [...tools, ...form].reduce<number>((sum, part) => sum + tokensPerMessage + boundTokens(JSON.stringify(part)), 0);
}

/**
 * A request that fits a model's context. One that does is returned as it is. Else its longest texts are cut (`cutToTokens`), and when they
 * would become too short the oldest messages are left out, a call never without its results; what is left out is said in a mark. The
 * user's latest message and what follows it stay. Files of earlier messages are put into words first, the oldest before the others.
 *
 * @param maxOutputTokens of the model, where the request says none
 * @throws {WorkflowError} `CONTEXT_TOO_SMALL` when not even system, tools and question fit.
 * @example const request = fitRequest({ task, messages, tools }, 32_768);
 */
export function fitRequest<TRequest extends ChatRequest>(request: TRequest, contextTokens: number, maxOutputTokens?: number): TRequest {
  const tokens = requestTokens(contextTokens, request.maxOutputTokens ?? maxOutputTokens);
  if (fitsWhateverItSays(request, tokens)) return request;
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
  const room = budget - (system ? tokensOf(system, budget) : 0) - leftOutTokens;
  const { kept, leftOut } = newest(units, room);
  const fitted = fitTexts(
    kept.flatMap(({ messages, weight }) => messages.map((message) => [message, weight] as const)),
    room,
  );
  if (!system || !fitted) throw contextTooSmall(contextTokens);
  return { ...request, messages: [...noteLeftOut(system, leftOut), ...fitted] };
}

/**
 * Says before the first request that a model's context is too small: system prompt and tools must leave room for a question.
 *
 * @throws {WorkflowError} `CONTEXT_TOO_SMALL`.
 */
export function checkContext({ messages, ...frame }: Pick<ChatRequest, 'messages' | 'tools' | 'output'>, contextTokens: number): void {
  const budget = requestTokens(contextTokens) - frameTokens(frame);
  const system = tokensOf(messages.filter(isSystem), contextTokens);
  if (system > budget * systemShare || budget - system < leastTalkTokens) throw contextTooSmall(contextTokens);
}

/** For the question and what has been said about it. */
const leastTalkTokens = 200;

const contextTooSmall = (contextTokens: number): WorkflowError =>
  new WorkflowError({
    code: 'CONTEXT_TOO_SMALL',
    message: `A request does not fit a context of ${contextTokens} tokens, however much is cut.`,
    hint: 'Raise contextTokens (--context-tokens) to what the model takes, or offer fewer tools.',
    data: { contextTokens },
  });

const isSystem = ({ role }: ChatMessage): boolean => role === 'system';

/** Puts files into words until the messages fit, those of the user's latest message never. */
function withFilesInRoom(messages: readonly ChatMessage[], budget: number): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  let fitting = messages;
  for (const [i, message] of messages.entries()) {
    if (i >= last || filesTokens(message) === 0) continue;
    fitting = fitting.with(i, withoutFiles(message));
    if (tokensOf(fitting, budget) <= budget) break;
  }
  return fitting;
}

/** Most requests are far smaller than a context: their lengths say so, without a look at each character. */
function fitsWhateverItSays({ messages, tools = [], output }: ChatRequest, tokens: number): boolean {
  const form = output?.type === 'json-schema' ? [output.schema] : [];
  let left = tokens;
  for (const part of [...tools, ...form]) left -= most(JSON.stringify(part));
  for (const message of messages) {
    if (left < 0) return false;
    left -= most(messageText(message)) + providerTokens(message) + filesTokens(message);
  }
  return messages.length > 0 && left >= 0;
}

/** What a text of a request costs at the most, with what is around it. */
const most = (text: string): number => tokensPerMessage + text.length * mostTokensPerUnit + 1;

/** Stops counting where there are too many. */
function tokensOf(messages: readonly ChatMessage[], most: number): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += message.content.length > most * 4 ? most + 1 : boundMessageTokens(message);
    if (tokens > most) break;
  }
  return tokens;
}

/** Messages that stay or go together: a call and its results, or a single one. */
interface Unit {
  readonly messages: readonly ChatMessage[];
  readonly weight: number;
  /** May not be left out. */
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

/** As many of the newest units as have room when each long text is cut to a fair length. */
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
  return [message.content, ...calls.map(({ arguments: args }) => args)].map((text) => ({ text, weight, size: tokensUpTo(text, most) }));
}

/** What a message costs whatever is cut. Each text may cost one more, where it is joined to another one. */
const fixedTokens = (message: ChatMessage): number =>
  tokensPerMessage +
  1 +
  providerTokens(message) +
  filesTokens(message) +
  (message.role === 'assistant' ? (message.toolCalls ?? []).reduce((sum, { name }) => sum + boundTokens(name) + 3, 0) : 0);

const leastTokens = (message: ChatMessage, textTokens: number): number =>
  fixedTokens(message) + partsOf(message, 1, textTokens).reduce((sum, { size }) => sum + Math.min(size, textTokens), 0);

/** Cuts the longest texts of some messages; `undefined` when they do not fit whatever is cut. */
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
  const more = sharesOf(
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

/** Arguments are JSON: half of them is none. */
const cutArguments = (call: ModelToolCall, maxTokens: number): ModelToolCall =>
  tokensUpTo(call.arguments, maxTokens) <= maxTokens
    ? call
    : { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters` }) };

/** Room for the sentence that says how many messages were left out. */
const leftOutTokens = 28;

/** Says it at the end of the system's message, or in one of its own. */
function noteLeftOut(system: readonly ChatMessage[], leftOut: number): readonly ChatMessage[] {
  if (leftOut === 0) return system;
  const note = `[… ${leftOut} earlier messages left out …]`;
  const last = system.at(-1);
  return [...system.slice(0, -1), { role: 'system', content: last ? `${last.content}\n\n${note}` : note }];
}
