import type { MachineContext } from 'xstate';
import type { Probe } from './probe.ts';

/** Most states whose classes are kept. */
const maxNoted = 20_000;

/** Returns a function from a state to its class under an abstraction: its result, and the answers of all probes. */
export function abstraction(
  probes: readonly Probe[],
  abstract: (state: MachineContext) => unknown,
): (state: MachineContext) => readonly number[] {
  const ids = new Map<string, number>();
  // most moves lead to a state whose values another one has; to serialize them would take as long as to ask
  const objects = new WeakMap<object, number>();
  let count = 0;
  const identityOf = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
    const known = objects.get(value);
    if (known === undefined) objects.set(value, count++);
    return `#${known ?? count - 1}`;
  };
  const vectors = new Map<string, readonly number[]>();
  return (state) => {
    let identity = '';
    for (const key in state) identity += `${key}:${identityOf(state[key])},`;
    const known = vectors.get(identity);
    if (known) return known;
    const text = `${probes.map((probe) => probe.ask(state)).join('')} ${JSON.stringify(abstract(state))}`;
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    if (vectors.size >= maxNoted) vectors.clear();
    const vector = [id];
    vectors.set(identity, vector);
    return vector;
  };
}
