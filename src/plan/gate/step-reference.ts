import { unescapePointer } from '../../core/util/json-pointer.ts';

/** A plan step's use of another step's output: `step_2`, or a part of it, `step_2#/results/0/url`. */
export interface StepReference {
  readonly stepId: number;
  /** Keys of the JSON pointer; empty for the whole output. */
  readonly pointer: readonly string[];
}

/** Pattern of a reference, for JSON Schema. */
export const referencePattern = '^step_[1-9][0-9]{0,8}(#(/[^/]*)+)?$';

const grammar = /^step_([1-9][0-9]{0,8})(?:#((?:\/[^/]*)+))?$/;

/** `undefined` for a text that is not a reference. */
export function parseReference(text: string): StepReference | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const pointer = match[2] === undefined ? [] : match[2].split('/').slice(1);
  return { stepId: Number(match[1]), pointer: pointer.map(unescapePointer) };
}
