const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** Reads `XIV` as 14. Returns NaN for other text. */
export function romanNumber(text: string): number {
  const digits = [...text.toUpperCase()].map((one) => values[one] ?? Number.NaN);
  return digits.reduce((sum, digit, i) => sum + (digit < (digits[i + 1] ?? 0) ? -digit : digit), 0);
}
