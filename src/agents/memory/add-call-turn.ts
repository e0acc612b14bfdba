import type { ChatMessage, ModelToolCall } from '../../core/ports/chat-model.ts';
import { withoutFiles } from '../../core/util/without-files.ts';

/** A turn of a conversation in which tools may have been called. */
export interface CallTurn {
  readonly question: string;
  /** Messages of the turn between question and answer. Only calls with all their results are kept. */
  readonly messages: readonly ChatMessage[];
  readonly answer: string;
}

/** Sizes in characters. */
export interface CallTurnWindow {
  /** Maximum number of stored turns. */
  readonly maxTurns: number;
  /** Maximum size of each question and answer. */
  readonly maxChars: number;
  /** Maximum size of one call's arguments, and of one result. */
  readonly maxCallChars: number;
  /** Maximum size of all calls and results. The oldest turns lose theirs first; a turn keeps all or none. */
  readonly maxAllCallsChars: number;
}

/**
 * Appends a turn, with its tool calls and their results, to the conversation that a thread stores for its next run. For `thread.next` of
 * `defineWorkflow`, so that the next question can be about a result. Files of results become text.
 *
 * @example
 * const window = { maxTurns: 10, maxChars: 4_000, maxCallChars: 2_000, maxAllCallsChars: 20_000 };
 * const next = (thread, { state }) => ({ messages: addCallTurn(thread.messages, { question, messages: state.messages, answer }, window) });
 */
export function addCallTurn(
  stored: readonly ChatMessage[],
  { question, messages, answer }: CallTurn,
  { maxTurns, maxChars, maxCallChars, maxAllCallsChars }: CallTurnWindow,
): readonly ChatMessage[] {
  const turn: readonly ChatMessage[] = [
    { role: 'user', content: question.slice(0, maxChars) },
    ...withUniqueIds(answeredCalls(messages), stored).map((message) => cut(message, maxCallChars)),
    { role: 'assistant', content: answer.slice(0, maxChars) },
  ];
  let room = maxAllCallsChars;
  return turnsOf([...stored, ...turn])
    .slice(-maxTurns)
    .reverse()
    .map((one) => {
      room -= sum(one.filter(isOfCall).map(sizeOf));
      return room >= 0 ? one : one.filter((message) => !isOfCall(message));
    })
    .reverse()
    .flat();
}

const isOfCall = (message: ChatMessage): boolean =>
  message.role === 'tool' || (message.role === 'assistant' && callsOf(message).length > 0);

const callsOf = (message: ChatMessage): readonly ModelToolCall[] => (message.role === 'assistant' ? (message.toolCalls ?? []) : []);

const sizeOf = (message: ChatMessage): number => JSON.stringify(message).length;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** A question begins a turn. */
function turnsOf(messages: readonly ChatMessage[]): readonly (readonly ChatMessage[])[] {
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user' || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(message);
  }
  return turns;
}

/** Providers refuse a call without its result, so a message is kept with all results that follow it, or not at all. */
function answeredCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.flatMap((message, at) => {
    const calls = callsOf(message);
    if (calls.length === 0) return [];
    const end = messages.findIndex((later, index) => index > at && later.role !== 'tool');
    const results = messages.slice(at + 1, end === -1 ? undefined : end);
    const isAnswered = calls.every(({ id }) => results.some((result) => result.role === 'tool' && result.callId === id));
    return isAnswered ? [message, ...results] : [];
  });
}

/** Models number their calls anew in each turn. Servers that pair a result with its call by id need other ids. */
function withUniqueIds(messages: readonly ChatMessage[], stored: readonly ChatMessage[]): readonly ChatMessage[] {
  const used = new Set(stored.flatMap((message) => callsOf(message).map(({ id }) => id)));
  let names = new Map<string, string>();
  const renamed = (id: string): string => {
    let name = id;
    for (let count = 2; used.has(name); count++) name = `${id}_${count}`;
    used.add(name);
    names.set(id, name);
    return name;
  };
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, callId: names.get(message.callId) ?? message.callId };
    if (message.role !== 'assistant' || !message.toolCalls) return message;
    names = new Map();
    return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: renamed(call.id) })) };
  });
}

/** Cuts a result and replaces its files with text. Cuts the arguments of a call to a shorter JSON object, because servers refuse arguments that are no JSON. */
function cut(message: ChatMessage, maxChars: number): ChatMessage {
  if (message.role === 'tool') {
    const result = withoutFiles(message);
    return { ...result, content: shortened(result.content, maxChars) };
  }
  if (message.role !== 'assistant' || !message.toolCalls) return message;
  const toolCalls = message.toolCalls.map((call) =>
    call.arguments.length <= maxChars ? call : { ...call, arguments: JSON.stringify({ shortened: shortened(call.arguments, maxChars) }) },
  );
  return { ...message, toolCalls };
}

const shortened = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars)} … (${text.length - maxChars} more characters)`;
