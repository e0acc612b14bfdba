import type { ChatRequest } from '../../ports/chat-model.ts';
import { hash } from '../../util/hash.ts';

/** The names of a request's tools, there and back. */
export interface WireNames {
  /** The name that the provider is sent. */
  toWire(name: string): string;
  /** The name that is meant by one that the provider has sent; one that was not sent to it stays as it is. */
  fromWire(name: string): string;
}

const grammar = /^[a-zA-Z0-9_-]{1,64}$/;
const maxLength = 64;

/**
 * Finds a name for each tool of a request, and of the calls in its history, that the provider takes: its own where that is allowed, else one
 * that no other tool has. The same tools have the same names in every request.
 */
export function wireNames({ tools = [], messages }: Pick<ChatRequest, 'tools' | 'messages'>): WireNames {
  const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const offered = new Set(tools.map(({ name }) => name));
  const names = new Set([...[...offered].sort(), ...called.map(({ name }) => name).sort()]);
  const there = new Map<string, string>();
  const back = new Map<string, string>();
  const add = (name: string, wire: string): void => {
    there.set(name, wire);
    back.set(wire, name);
  };
  for (const name of names) if (grammar.test(name)) add(name, name);
  for (const name of names) {
    if (there.has(name)) continue;
    for (const wire of wordsFor(name)) {
      if (back.has(wire)) continue;
      add(name, wire);
      break;
    }
  }
  return { toWire: (name) => there.get(name) ?? name, fromWire: (wire) => back.get(wire) ?? wire };
}

/** Names that may stand for another, without end: like it, and then like it with what tells it apart, for others may have taken that, too. */
function* wordsFor(name: string): Iterable<string> {
  const like = name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
  yield like.slice(0, maxLength);
  for (let number = 0; ; number++) yield `${like.slice(0, 40)}_${hash(`${name}${number || ''}`).slice(0, 20)}`;
}
