import { expect, it } from 'vitest';
import { clauseParagraphs } from '../../../src/studio/model/clause-paragraphs.ts';

it.each([
  ['after a list in a quotation', '> 1. a\n> 2. b\n> ② c', '> 1. a\n> 2. b\n> \n> ② c'],
  ['after a list', '1. a\n② b', '1. a\n\n② b'],
  ['after another one', '> ① a\n> ② b\n> ③ c', '> ① a\n> \n> ② b\n> \n> ③ c'],
  ['after a heading', '제3조(기간)\n① a', '제3조(기간)\n\n① a'],
  ['that is already a paragraph', '1. a\n\n② b\n\n③ c', '1. a\n\n② b\n\n③ c'],
  ['that is already a paragraph of a quotation', '> ① a\n> \n> ② b', '> ① a\n> \n> ② b'],
  ['after a quotation', '> 1. a\n② b', '> 1. a\n② b'],
  ['within a line', '1. a ② b\nc', '1. a ② b\nc'],
])('starts a paragraph at a circled number %s', (_, text, shown) => {
  expect(clauseParagraphs(text)).toBe(shown);
});
