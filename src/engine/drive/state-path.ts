import type { StateValue } from 'xstate';

/** `{ both: { left: 'run', right: 'end' } }` becomes `both.left.run|both.right.end`. */
export function statePath(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([key, inner]) =>
      inner === undefined || (typeof inner === 'object' && Object.keys(inner).length === 0) ? key : prefix(key, statePath(inner)),
    )
    .join('|');
}

const prefix = (key: string, where: string): string =>
  where
    .split('|')
    .map((part) => `${key}.${part}`)
    .join('|');
