import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLoneClosing, thinkTags } from '../../../../src/models/openai/think-tags.ts';

function read(...pieces: string[]): { text: string; reasoning: string } {
  const tags = thinkTags();
  const all = [...pieces.flatMap((piece) => tags.add(piece)), ...tags.end()];
  const joined = (kind: string): string => all.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join('');
  return { text: joined('text'), reasoning: joined('reasoning') };
}

describe('thinkTags', () => {
  it.each([
    ['<think>Hm.</think>Paris', 'Paris', 'Hm.'],
    ['\n<think>\nHm.\n</think>\n\nParis', 'Paris', '\nHm.\n'],
    ['<thought>Hm.</thought>Paris', 'Paris', 'Hm.'],
    ['<think></think>Paris', 'Paris', ''],
    ['<think>Hm.</think><think>Well.</think>Paris', 'Paris', 'Hm.Well.'],
    ['<think>Hm. <b></thin</think>Paris', 'Paris', 'Hm. <b></thin'],
    ['<think>Hm.', '', 'Hm.'],
    ['<thinker>Paris', '<thinker>Paris', ''],
    ['<', '<', ''],
    ['Paris <think>x</think>', 'Paris <think>x</think>', ''],
    ['  Paris', '  Paris', ''],
    ['', '', ''],
  ])('reads %j as a whole and letter by letter', (whole, text, reasoning) => {
    expect(read(whole)).toEqual({ text, reasoning });
    expect(read(...whole)).toEqual({ text, reasoning });
  });

  it('delays no text that cannot be a tag', () => {
    expect(thinkTags().add('Paris')).toEqual([{ kind: 'text', text: 'Paris' }]);
    expect(thinkTags().add('<p')).toEqual([{ kind: 'text', text: '<p' }]);
    expect(thinkTags().add('<thi')).toEqual([]);
  });

  it('reads the same for any split of a text', () => {
    const words = fc.array(fc.constantFrom('<', 'think', '>', '</think>', '<think>', ' ', 'Hm', '<thought>', '</thought>'));
    fc.assert(
      fc.property(words, (pieces) => {
        expect(read(...pieces)).toEqual(read(pieces.join('')));
      }),
    );
  });
});

describe('splitLoneClosing', () => {
  it.each([
    ['Hm.\n</think>\n\nParis', 'Hm.', 'Paris'],
    ['Hm.</think>\nParis', 'Hm.', 'Paris'],
    ['</think>\nParis', '', 'Paris'],
    ['The tag `</think>` ends it.', '', 'The tag `</think>` ends it.'],
    ['The tag </think> ends it.', '', 'The tag </think> ends it.'],
    ['Write:\n<think>\nHm.\n</think>\nThen answer.', '', 'Write:\n<think>\nHm.\n</think>\nThen answer.'],
    ['Paris', '', 'Paris'],
  ])('splits %j', (whole, thought, text) => expect(splitLoneClosing(whole)).toEqual({ thought, text }));
});
