import type { AnyStateMachine, MachineContext } from 'xstate';
import type { Guard } from '../../engine/define/guard.ts';
import { kitGuardOf } from '../../engine/define/state.ts';

/** A guard of a machine. */
export interface NamedGuard {
  readonly name: string;
  readonly passes: Guard<MachineContext>;
  /** Source text, searched for values of comparisons. */
  readonly text: string;
}

/** Returns the guards of a machine by name. */
export function guardsOf({ implementations: { guards } }: AnyStateMachine): ReadonlyMap<string, NamedGuard> {
  const found = new Map<string, NamedGuard>();
  for (const [name, guard] of Object.entries(guards)) {
    const kit = kitGuardOf(guard);
    if (kit) found.set(name, { name, passes: kit.predicate, text: Function.prototype.toString.call(kit.written) });
  }
  return found;
}

/** Literals in source code. */
export interface Constants {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
}

/** Returns the string and number literals in functions. */
export function constantsIn(sources: readonly string[]): Constants {
  const texts = new Set<string>();
  const numbers = new Set<number>();
  for (const source of sources) {
    for (const [, single, double, plain, number] of source.matchAll(literal)) {
      const text = single ?? double ?? plain;
      if (text !== undefined) texts.add(text);
      else if (number !== undefined) numbers.add(Number(number.replaceAll('_', '')));
    }
  }
  return { texts: [...texts], numbers: [...numbers] };
}

const literal = /'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`|(?<![\w.$])(\d[\d_]*(?:\.\d+)?)/g;
