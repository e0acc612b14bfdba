import { exportSummaries, importSummaries, slideWindow } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversation, scriptedSummarizer, user, windowOf } from './helpers.ts';

const mark = '---SUMMARY_BREAK---';
const textsOf = (text: string): readonly string[] => importSummaries(text).map((summary) => summary.text);
const toSummaries = (...texts: readonly string[]): { text: string }[] => texts.map((text) => ({ text }));

describe('exportSummaries and importSummaries', () => {
  it('separate summaries by a line, as other programs do', () => {
    expect(exportSummaries(toSummaries('요약1', '요약2'))).toBe(`요약1\n${mark}\n요약2`);
    expect(importSummaries(`요약1\n${mark}\n요약2`)).toEqual([
      { text: '요약1', messageIds: [], by: 'import' },
      { text: '요약2', messageIds: [], by: 'import' },
    ]);
    expect(textsOf(`요약1\r\n${mark}\r\n요약2`)).toEqual(['요약1\r', '요약2']);
  });

  it('return nothing for no summaries', () => {
    expect(exportSummaries([])).toBe('');
    expect(textsOf('')).toEqual([]);
    expect(textsOf(`${mark}\n${mark}`)).toEqual([]);
  });

  it('keep a summary that contains the mark in one piece', () => {
    for (const text of [mark, `\n${mark}\n`, `가\n${mark}\n나`, `\\${mark}`, `${mark}\r\n`, `가 ${mark} 나`]) {
      expect(textsOf(exportSummaries(toSummaries(text, '다')))).toEqual([text, '다']);
    }
  });

  it('restore any summaries', () => {
    const piece = fc.constantFrom(mark, `\\${mark}`, '\n', '\r', '가', ' ', '\\', '-');
    const text = fc.array(fc.oneof(piece, fc.string()), { minLength: 1 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const given = texts.filter((one) => one !== '');
        expect(textsOf(exportSummaries(toSummaries(...texts)))).toEqual(given);
      }),
    );
  });

  it('are the only functions that interpret the mark', async () => {
    const message = user('m', `가\n${mark}\n나`);
    const step = await slideWindow({
      state: windowOf(message, ...conversation(9)),
      summarizer: scriptedSummarizer(`요약\n${mark}\n둘`),
    });
    expect(step.state.summaries.map(({ text }) => text)).toEqual([`요약\n${mark}\n둘`]);
    const kept = await slideWindow({ state: windowOf(message), summarizer: scriptedSummarizer() });
    expect(kept.state.messages).toEqual([message]);
  });
});
