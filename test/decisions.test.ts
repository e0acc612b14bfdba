// The decisions of docs/decisions: each is named by the code or test that rests on it, and every name leads to a decision.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../scripts/rooms.ts';
import { pages } from './fixtures/pages.ts';

const folder = 'docs/decisions';
const decisionPages = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
const numbersOf = (page: string): number[] =>
  [...readFileSync(join(folder, page), 'utf8').matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number));
const decided = decisionPages.flatMap(numbersOf);

/** Numbers that a text names: `Decision 44:`, `(decision 44)`. */
const namedIn = (text: string): number[] => [...text.matchAll(/\bdecision (\d+)\b/gi)].map(([, number]) => Number(number));

const code = ['src', 'machines', 'test'].flatMap(sourceFiles).filter((file) => !file.endsWith('decisions.test.ts'));
const named = code.map((file) => ({ file, numbers: namedIn(readFileSync(file, 'utf8')) }));

describe('decisions', () => {
  it('have unique numbers, in ascending order on each page', () => {
    for (const page of decisionPages) expect(numbersOf(page), page).toEqual(numbersOf(page).toSorted((a, b) => a - b));
    expect(decided.length).toBe(new Set(decided).size);
  });

  it('stand in the table of the index, on the row of their page', () => {
    const index = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const page of decisionPages) {
      const row = index.split('\n').find((line) => line.includes(`](${page})`)) ?? '';
      expect((row.split('|').at(-2)?.match(/\d+/g) ?? []).map(Number), page).toEqual(numbersOf(page));
    }
  });

  it('are each named in src, machines or test', () => {
    const all = new Set(named.flatMap(({ numbers }) => numbers));
    expect(decided.filter((number) => !all.has(number))).toEqual([]);
  });

  it('exist when a file or a page names them', () => {
    const onPages = pages.filter((page) => page !== 'CHANGELOG.md').map((file) => ({ file, numbers: namedIn(readFileSync(file, 'utf8')) }));
    const unknown = [...named, ...onPages].flatMap(({ file, numbers }) =>
      numbers.filter((number) => !decided.includes(number)).map((number) => `${file}: ${number}`),
    );
    expect(unknown).toEqual([]);
  });
});
