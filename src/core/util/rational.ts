/** An exact number. */
export interface Rational {
  readonly top: bigint;
  /** Above 0, without a common factor with `top`. */
  readonly bottom: bigint;
}

/** Limit of the computation, because a power may have any number of digits. */
const maxBits = 4_096;

export function rational(top: bigint, bottom = 1n): Rational {
  const sign = bottom < 0n ? -1n : 1n;
  const factor = commonFactor(top < 0n ? -top : top, bottom * sign) * sign;
  return { top: top / factor, bottom: bottom / factor };
}

/** Parses a number in digits: `12`, `0.5`, `1e3`. */
export function parseRational(text: string): Rational | undefined {
  const found = /^(\d*)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (!found || text.length > 400) return undefined;
  const [, whole = '', part = '', exponent = '0'] = found;
  const shift = Number(exponent) - part.length;
  const digits = BigInt(`${whole}${part}` || '0');
  return shift >= 0 ? rational(digits * 10n ** BigInt(shift)) : rational(digits, 10n ** BigInt(-shift));
}

export const add = (a: Rational, b: Rational): Rational => rational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
export const negate = ({ top, bottom }: Rational): Rational => ({ top: -top, bottom });
export const multiply = (a: Rational, b: Rational): Rational => rational(a.top * b.top, a.bottom * b.bottom);
/** `undefined` by zero. */
export const divide = (a: Rational, b: Rational): Rational | undefined =>
  b.top === 0n ? undefined : rational(a.top * b.bottom, a.bottom * b.top);

/** Like `%`: with the sign of the first. `undefined` by zero. */
export function remainder(a: Rational, b: Rational): Rational | undefined {
  const times = divide(a, b);
  return times && add(a, negate(multiply(b, rational(times.top / times.bottom))));
}

/** `undefined` for a fractional exponent, a division by zero, and a result above the limit of digits. */
export function power(base: Rational, { top: exponent, bottom }: Rational): Rational | undefined {
  if (bottom !== 1n) return undefined;
  const size = exponent < 0n ? -exponent : exponent;
  if (size > BigInt(maxBits) || BigInt(bits(base)) * size > BigInt(maxBits)) return undefined;
  const raised = { top: base.top ** size, bottom: base.bottom ** size };
  return exponent >= 0n ? raised : divide(rational(1n), raised);
}

/** True when the value is below the limit of digits. */
export const isShort = (value: Rational): boolean => bits(value) <= maxBits;

/** Exact root of a number; `undefined` if it has none or is negative. */
export function exactRoot({ top, bottom }: Rational, degree: 2n | 3n): Rational | undefined {
  if (top < 0n) return undefined;
  const [above, below] = [wholeRoot(top, degree), wholeRoot(bottom, degree)];
  return above ** degree === top && below ** degree === bottom ? { top: above, bottom: below } : undefined;
}

/** Rounded down, by halving the range. */
function wholeRoot(value: bigint, degree: bigint): bigint {
  let low = 0n;
  let high = 1n << BigInt(Math.ceil(value.toString(2).length / Number(degree)));
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

const bits = ({ top, bottom }: Rational): number => Math.max((top < 0n ? -top : top).toString(2).length, bottom.toString(2).length);

/**
 * All digits of a number; `undefined` if they never end, or exceed `maxDigits` after the point.
 * @example toDigits({ top: 1n, bottom: 8n }) // '0.125'
 */
export function toDigits({ top, bottom }: Rational, maxDigits = 12): string | undefined {
  const sign = top < 0n ? '-' : '';
  const size = top < 0n ? -top : top;
  if (bottom === 1n) return `${sign}${size}`;
  for (let digits = 1; digits <= maxDigits; digits++) {
    const scaled = size * 10n ** BigInt(digits);
    if (scaled % bottom !== 0n) continue;
    const text = String(scaled / bottom).padStart(digits + 1, '0');
    return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
  }
  return undefined;
}

function commonFactor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}
