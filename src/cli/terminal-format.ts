import type { DescriptionFormat } from '../inspect/index.ts';
import { hintOf } from './error-hints.ts';
import { milliseconds, oneLine, pad } from './terminal.ts';

/** Format of a node's description at the terminal. */
export const terminalFormat: DescriptionFormat = {
  oneLine,
  pad,
  milliseconds,
  hintOf: (error) => hintOf(error),
  waitsFor: (held) => `${held.map(({ tool }) => oneLine(tool)).join(', ')} ⏸ needs approval`,
};
