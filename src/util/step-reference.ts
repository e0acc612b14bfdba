import type { Json } from '../ports/json.ts';
import { unescapePointer } from './json-pointer.ts';

/** A plan step's use of another step's output: `step_2`, or a part of it, `step_2#/results/0/url`. */
export interface StepReference {
  readonly stepId: number;
  /** Keys of the JSON pointer; empty for the whole output. */
  readonly pointer: readonly string[];
}

/** What a reference looks like, for JSON Schema. */
export const referencePattern = '^step_[1-9][0-9]{0,8}(#(/[^/]*)+)?$';

const grammar = /^step_([1-9][0-9]{0,8})(?:#((?:\/[^/]*)+))?$/;

/** `undefined` for a text that is no reference. */
export function parseReference(text: string): StepReference | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const pointer = match[2] === undefined ? [] : match[2].split('/').slice(1);
  return { stepId: Number(match[1]), pointer: pointer.map(unescapePointer) };
}

/** The value at a JSON pointer; `undefined` when there is none. */
export function readPointer(value: Json, pointer: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const key of pointer) {
    if (Array.isArray(at)) at = /^(0|[1-9]\d*)$/.test(key) ? (at as readonly Json[])[Number(key)] : undefined;
    else if (typeof at === 'object' && at !== null && Object.hasOwn(at, key)) at = (at as { readonly [key: string]: Json })[key];
    else return undefined;
  }
  return at;
}
