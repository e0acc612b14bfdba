import { WorkflowError } from '../errors/errors.ts';
import type { JsonObject } from '../ports/json.ts';
import type { GuardBorder, TextGuard } from '../ports/text-guard.ts';
import { isObject } from './is-object.ts';

const borders: ReadonlySet<unknown> = new Set<GuardBorder>(['input', 'request', 'tool-call', 'tool-result', 'answer']);

/** Checks the guards of a workflow for callers without types. @throws {WorkflowError} `OPTION_INVALID`. */
export function checkGuards(guards: unknown): readonly TextGuard[] {
  if (guards === undefined) return [];
  if (!Array.isArray(guards)) throw guardInvalid('The guards are not an array.');
  const names = new Set<unknown>();
  for (const guard of guards as readonly unknown[]) {
    if (!isObject(guard) || typeof guard.check !== 'function') throw guardInvalid('A guard has no function `check`.');
    const { name, at } = guard as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
      throw guardInvalid(`${JSON.stringify(name)} is no name of a guard.`);
    if (names.has(name)) throw guardInvalid(`Two guards have the name "${name}".`);
    names.add(name);
    if (!Array.isArray(at) || at.length === 0 || !at.every((border) => borders.has(border)))
      throw guardInvalid(`The guard "${name}" has the borders ${JSON.stringify(at)}.`);
  }
  return guards as readonly TextGuard[];
}

/** Part of a workflow's structure: its guards in order. A journal of other guards is rejected. */
export const guardStructure = (guards: readonly TextGuard[]): JsonObject =>
  guards.length === 0 ? {} : { guards: guards.map(({ name, at }) => ({ name, at: [...new Set(at)].sort() })) };

/** Adds the guards of an outer workflow, which come first. An inner guard of the same name is dropped. */
export function joinGuards(outer: readonly TextGuard[] = [], inner: readonly TextGuard[] = []): readonly TextGuard[] {
  if (outer.length === 0) return inner;
  return [...outer, ...inner.filter((guard) => !outer.some(({ name }) => name === guard.name))];
}

const guardInvalid = (message: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message,
    hint: `Give guards: [{ name, at, check }], each with its own name of letters, digits, ".", "-" and "_", and with some of ${[...borders].join(', ')}.`,
    data: { option: 'guards' },
  });
