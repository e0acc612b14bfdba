import { type CueAnchor, cueAnchors } from './cue-anchors.ts';
import { toCuePattern } from './cue-pattern.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/** A cue with the words that every text with it has. */
export interface CompiledCue {
  readonly pattern: RegExp;
  readonly anchors: readonly CueAnchor[];
}

export interface CompiledTopic {
  readonly many: boolean;
  readonly settles: readonly CompiledCue[];
  readonly touches: readonly CompiledCue[];
}

const compiled = new WeakMap<ContractTopic, CompiledTopic>();

/** Compiles the wording cues of a topic, at its first question. */
export function compiledTopic(topic: ContractTopic): CompiledTopic {
  const known = compiled.get(topic);
  if (known) return known;
  const { many = false, settles, touches } = topic;
  const result = { many, settles: settles.map(compile), touches: touches.map(compile) };
  compiled.set(topic, result);
  return result;
}

const compile = (cue: string): CompiledCue => ({ pattern: toCuePattern(cue), anchors: cueAnchors(cue) });
