import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Row {
  readonly id: string;
  readonly file: string;
  readonly name: string;
}

const rows: readonly Row[] = [
  ...readFileSync('docs/reference/faults.md', 'utf8').matchAll(/^\| ([FB]\d\d) \|.*\| `([^`]+)`: `([^`]+)` \|$/gm),
].map(([, id = '', file = '', name = '']) => ({ id, file, name }));
const ids = (letter: string, from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${letter}${String(from + index).padStart(2, '0')}`);

it('has a row for every fault and every hostile input', () => {
  expect(rows.map(({ id }) => id)).toEqual([...ids('F', 1, 41), ...ids('B', 13, 51)]);
});

it.each(rows)('names an existing test: $id', ({ file, name }) => {
  expect(existsSync(file), file).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(name);
});
