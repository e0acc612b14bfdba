import { expect, it } from 'vitest';
import { clauseParagraphs } from '../../../src/studio/model/clause-paragraphs.ts';

it.each([
  ['behind a list in a quotation', '> 1. a\n> 2. b\n> ② c', '> 1. a\n> 2. b\n> \n> ② c'],
  ['behind a list', '1. a\n② b', '1. a\n\n② b'],
  ['behind each other', '> ① a\n> ② b\n> ③ c', '> ① a\n> \n> ② b\n> \n> ③ c'],
  ['behind a heading', '제3조(기간)\n① a', '제3조(기간)\n\n① a'],
  ['where they are paragraphs', '1. a\n\n② b\n\n③ c', '1. a\n\n② b\n\n③ c'],
  ['in a quotation where they are paragraphs', '> ① a\n> \n> ② b', '> ① a\n> \n> ② b'],
  ['outside of the quotation before them', '> 1. a\n② b', '> 1. a\n② b'],
  ['within a line', '1. a ② b\nc', '1. a ② b\nc'],
])('makes paragraphs of what begins with a number in a circle, %s', (_, text, shown) => {
  expect(clauseParagraphs(text)).toBe(shown);
});
