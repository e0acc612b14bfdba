import { constantsBeside } from './lookups.ts';
import { lengthThresholdsOf, thresholdsOf } from './thresholds.ts';

const maxTextLength = 100_000;
const maxListLength = 1_000;
const marker = 918_273_645.125;
const word = '\u2021agent-machines\u2021';

/**
 * Returns numbers, texts or lists at which an answer changes.
 *
 * @param near Numbers to try: constants of the source.
 * @param isWhole Only tries integers.
 */
export function leavesNear(
  value: string | number | readonly unknown[],
  ask: (leaf: unknown) => string,
  near: readonly number[],
  isWhole: boolean,
): readonly unknown[] {
  if (typeof value === 'number') {
    const beside = [...constantsBeside(() => ask(marker), marker)];
    return [...thresholdsOf(ask, near, isWhole), ...beside.filter((each) => typeof each === 'number')];
  }
  if (typeof value === 'string') {
    const texts = [...constantsBeside(() => ask(word), word)].map(String);
    const lengths = lengthThresholdsOf((length) => ask('x'.repeat(length)), maxTextLength, near);
    return [...texts, ...lengths.map((length) => 'x'.repeat(length))];
  }
  const item = value[0] ?? 'x';
  const ofLength = (length: number): readonly unknown[] => Array<unknown>(length).fill(item);
  const lengths = lengthThresholdsOf((length) => ask(ofLength(length)), maxListLength, near);
  const texts = [...constantsBeside(() => ask([word]), word)];
  return [...lengths.map(ofLength), ...texts.map((text) => [text])];
}
