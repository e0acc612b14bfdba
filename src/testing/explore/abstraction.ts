import type { MachineContext } from 'xstate';
import type { NamedGuard } from './guard-texts.ts';
import type { ReadTree } from './read-tree.ts';

/** Distinguishes states that may continue differently. */
export interface Abstraction {
  /** Returns the same key for equivalent states. */
  keyOf(state: MachineContext): string;
}

/**
 * Distinguishes states by the results of all guards and by the values that are read. Numbers and lengths above `most` count as equal.
 *
 * @param most Larger than any number in a comparison.
 * @param abstract Replaces the default distinction.
 */
export function abstractionOf(
  guards: Iterable<NamedGuard>,
  reads: ReadTree,
  most: number,
  abstract?: (state: MachineContext) => unknown,
): Abstraction {
  const asked = [...guards];
  const answers = (state: MachineContext): string => asked.map(({ passes }) => answerOf(passes, state)).join('');
  if (abstract) return { keyOf: (state) => `${answers(state)} ${JSON.stringify(abstract(state))}` };
  return { keyOf: (state) => `${answers(state)} ${project(state, reads, most)}` };
}

/** Returns a guard's result for a state as a digit, or `!` if it throws. */
export function answerOf(passes: NamedGuard['passes'], state: MachineContext): string {
  try {
    return passes(state) ? '1' : '0';
  } catch {
    return '!';
  }
}

/** Number of items at the end of a list that are compared; earlier items are only counted. */
const lastItems = 3;

/** Prints the parts of a value that are read. */
function project(value: unknown, reads: ReadTree, most: number): string {
  const { whole, length, members } = reads;
  if (typeof value === 'number') return String(Math.min(Math.max(value, -most), most));
  if (typeof value === 'string') return members.size === 0 && length ? String(Math.min(value.length, most)) : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) {
    const count = whole || length || members.has('*') ? String(Math.min(value.length, most)) : '';
    const item = whole ? reads : members.get('*');
    if (!item || (!item.whole && !whole && item.members.size === 0 && !item.length && value.every((each) => typeof each === 'object')))
      return `[${count}]`;
    return `[${count} ${value
      .slice(-lastItems)
      .map((each) => project(each, item, most))
      .join()}]`;
  }
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  const kept: readonly (readonly [string, unknown, ReadTree])[] = whole
    ? entries.map(([key, member]) => [key, member, reads])
    : [...members].map(([key, inside]) => [key, Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined, inside]);
  return `{${kept.map(([key, member, inside]) => `${key}:${project(member, inside, most)}`).join()}}`;
}
