import type { ChatRequest } from '../../ports/chat-model.ts';
import { hash } from '../../util/hash.ts';

/** The names of a request's tools, there and back, and the ids of its calls. */
export interface WireNames {
  /** The name that the provider is sent. */
  toWire(name: string): string;
  /** The name that is meant by one that the provider has sent; one that was not sent to it stays as it is. */
  fromWire(name: string): string;
  /** The id that the provider is sent for a call and its result. */
  callId(id: string): string;
}

const grammar = /^[a-zA-Z0-9_-]{1,64}$/;
const maxLength = 64;

/** Ids of calls that a provider takes. Most take any; chat completions of OpenAI take 40 characters, the Responses API takes 64. */
export const callIdForms: Readonly<Record<'completions' | 'responses' | 'aiSdk', RegExp>> = {
  completions: /^[\s\S]{1,40}$/,
  responses: /^[\s\S]{1,64}$/,
  /** Anthropic's, among the providers of the AI SDK. */
  aiSdk: grammar,
};

/** Mistral's API and templates refuse any other id. */
const mistralId = /^[a-zA-Z0-9]{9}$/;
const mistral = /mi[sx]tral|(?:code|dev|magi|mini|pix)stral|pixtral/i;

/**
 * Ids of calls that a model takes.
 * @param provider Its host, or its name.
 */
export const callIdForm = (provider: string, model: string, others: RegExp): RegExp =>
  mistral.test(`${provider} ${model}`) ? mistralId : others;

/**
 * Finds a name for each tool of a request, and of the calls in its history, that the provider takes: its own where that is allowed, else one
 * that no other tool has. The same tools have the same names in every request. The same holds for the ids of calls, which may be those of
 * another provider: a thread changes its model.
 *
 * @param callIds Ids that the provider takes.
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

/** A word for each of some words: itself where that is allowed, else the first of its candidates that no other one has. */
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

/** Nine letters and digits, without end: every provider takes those. */
function* idsFor(id: string): Iterable<string> {
  for (let number = 0; ; number++) yield hash(`call ${id}${number || ''}`).slice(0, 9);
}

/** Names that may stand for another, without end: like it, and then like it with what tells it apart, for others may have taken that, too. */
function* wordsFor(name: string): Iterable<string> {
  const like = name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
  yield like.slice(0, maxLength);
  for (let number = 0; ; number++) yield `${like.slice(0, 40)}_${hash(`${name}${number || ''}`).slice(0, 20)}`;
}
