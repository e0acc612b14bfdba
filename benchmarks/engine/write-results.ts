import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Writes the results of a question to a file of the day. Fractions have six digits. */
export function writeResults(question: string, startedAt: Date, results: object): void {
  const folder = new URL('../results/', import.meta.url);
  const file = new URL(`${question}-${startedAt.toISOString().slice(0, 10)}.json`, folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ question, startedAt: startedAt.toISOString(), ...results }, toSixDigits, 1)}\n`);
  console.log(`\nWritten to ${fileURLToPath(file)}`);
}

const toSixDigits = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
