import type { ChatRequest } from '../../core/ports/chat-model.ts';
import { hash } from '../../core/util/hash.ts';

/** Maps the tool names and call ids of a request to the provider's form and back. */
export interface WireNames {
  /** Returns the provider's name of a tool. */
  toWire(name: string): string;
  /** Returns the tool for a name from the provider; an unknown name stays unchanged. */
  fromWire(name: string): string;
  /** Returns the provider's id of a call and its result. */
  callId(id: string): string;
}

const grammar = /^[a-zA-Z0-9_-]{1,64}$/;
const maxLength = 64;

/**
 * Patterns of accepted call ids. Most providers accept any id; OpenAI's chat completions accept 40 characters, the Responses API accepts
 * 64.
 */
export const callIdForms: Readonly<Record<'completions' | 'responses' | 'aiSdk', RegExp>> = {
  completions: /^[\s\S]{1,40}$/,
  responses: /^[\s\S]{1,64}$/,
  /** Anthropic's pattern, for the AI SDK. */
  aiSdk: grammar,
};

/** Mistral's API and templates reject any other id. */
const mistralId = /^[a-zA-Z0-9]{9}$/;
const mistral = /mi[sx]tral|(?:code|dev|magi|mini|pix)stral|pixtral/i;

/**
 * Returns the pattern of call ids that a model accepts.
 * @param provider Host or name of the provider.
 */
export const callIdForm = (provider: string, model: string, others: RegExp): RegExp =>
  mistral.test(`${provider} ${model}`) ? mistralId : others;

/**
 * Maps each tool name of a request and its history to a name that the provider accepts. An allowed name stays; any other gets a unique
 * substitute. The same tools have the same names in every request. Call ids are mapped likewise, because a thread may change its model and
 * contain ids of another provider.
 *
 * @param callIds Pattern of the ids that the provider accepts.
 */
export function wireNames(
  { tools = [], messages }: Pick<ChatRequest, 'tools' | 'messages'>,
  callIds: RegExp = callIdForms.completions,
): WireNames {
  const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
  const offered = new Set(tools.map(({ name }) => name));
  const names = wireWords([...[...offered].sort(), ...called.map(({ name }) => name).sort()], grammar, wordsFor);
  const ids = wireWords([...called.map(({ id }) => id), ...answered].sort(), callIds, idsFor);
  const back = new Map([...names].map(([name, wire]) => [wire, name]));
  return {
    toWire: (name) => names.get(name) ?? name,
    fromWire: (wire) => back.get(wire) ?? wire,
    callId: (id) => ids.get(id) ?? id,
  };
}

/** Maps each word to itself if allowed, else to its first unused candidate. */
function wireWords(words: readonly string[], allowed: RegExp, candidates: (word: string) => Iterable<string>): ReadonlyMap<string, string> {
  const there = new Map<string, string>();
  const taken = new Set<string>();
  const add = (word: string, wire: string): void => {
    there.set(word, wire);
    taken.add(wire);
  };
  for (const word of words) if (allowed.test(word)) add(word, word);
  for (const word of words) {
    if (there.has(word)) continue;
    for (const wire of candidates(word)) {
      if (taken.has(wire)) continue;
      add(word, wire);
      break;
    }
  }
  return there;
}

/** Yields endless ids of nine letters and digits, which every provider accepts. */
function* idsFor(id: string): Iterable<string> {
  for (let number = 0; ; number++) yield hash(`call ${id}${number || ''}`).slice(0, 9);
}

/** Yields endless substitutes for a name: a similar name first, then with a hash, because others may have taken that, too. */
function* wordsFor(name: string): Iterable<string> {
  const like = name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
  yield like.slice(0, maxLength);
  for (let number = 0; ; number++) yield `${like.slice(0, 40)}_${hash(`${name}${number || ''}`).slice(0, 20)}`;
}
