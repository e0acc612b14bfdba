import { UsageError } from './usage-error.ts';

/** Model names of `--model`. */
export interface ModelNames {
  /** Model of every node that `nodes` does not name. */
  readonly default?: string;
  readonly nodes: Readonly<Record<string, string>>;
}

/**
 * Parses `NAME`, `NODE=NAME`, or several of them with commas.
 * @throws {UsageError} for a missing name, and for two names of one node.
 */
export function parseModelNames(text: string | undefined): ModelNames {
  const names = new Map<string, string>();
  for (const part of text === undefined ? [] : text.split(',')) {
    const [, node = 'default', name = ''] = /^\s*(?:([A-Za-z][\w.]*)\s*=)?\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === '') throw new UsageError(`--model ${text} lacks a name. Use NAME, or NODE=NAME for one node.`);
    if (names.has(node)) throw new UsageError(`--model names two models for ${node === 'default' ? 'all nodes' : node}.`);
    names.set(node, name);
  }
  const { default: all, ...nodes } = Object.fromEntries(names);
  return { ...(all === undefined ? {} : { default: all }), nodes };
}

/** Reverses `parseModelNames`. */
export const printModelNames = ({ default: all, nodes }: ModelNames): string =>
  [
    ...(all === undefined ? [] : [all.includes('=') ? `default=${all}` : all]),
    ...Object.entries(nodes).map(([node, name]) => `${node}=${name}`),
  ].join(',');

/** Collects an option that may be given more than once. */
export const addModelNames = (text: string, before?: string): string => (before === undefined ? text : `${before},${text}`);
