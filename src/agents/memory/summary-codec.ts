import type { WindowSummary } from './window-state.ts';

const mark = '---SUMMARY_BREAK---';
/** A line of a summary that reads as the mark, or as an escaped one. */
const looksLikeMark = /^\\*---SUMMARY_BREAK---\r?$/;

/**
 * Joins summaries into one text for other programs, separated by lines `---SUMMARY_BREAK---`. Such a line within a summary is escaped with
 * a backslash. Empty summaries are left out.
 */
export const exportSummaries = (summaries: readonly Pick<WindowSummary, 'text'>[]): string =>
  summaries
    .filter(({ text }) => text !== '')
    .map(({ text }) =>
      text
        .split('\n')
        .map((line) => (looksLikeMark.test(line) ? `\\${line}` : line))
        .join('\n'),
    )
    .join(`\n${mark}\n`);

/** Reads the output of `exportSummaries`, or of another program. The mark has no meaning elsewhere in the package. */
export function importSummaries(text: string): readonly WindowSummary[] {
  const parts: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.replace(/\r$/, '') === mark) parts.push([]);
    else parts.at(-1)?.push(looksLikeMark.test(line) ? line.slice(1) : line);
  }
  return parts
    .map((lines) => lines.join('\n'))
    .filter((part) => part !== '')
    .map((part) => ({ text: part, messageIds: [], by: 'import' }));
}
