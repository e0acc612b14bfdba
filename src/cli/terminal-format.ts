import type { DescriptionFormat } from '../inspect/index.ts';
import { hintOf } from './hints.ts';
import { milliseconds, oneLine, pad } from './terminal.ts';

/** How a description is written at the terminal. */
export const terminalFormat: DescriptionFormat = {
  oneLine,
  pad,
  milliseconds,
  hintOf: (error) => hintOf(error),
  waitsFor: (held) => `${held.map(({ tool }) => oneLine(tool)).join(', ')} ⏸ needs approval`,
};
