import type { WindowSummary } from './window-state.ts';

const mark = '---SUMMARY_BREAK---';
/** A line of a summary that would read as the mark, or as an escaped one. */
const looksLikeMark = /^\\*---SUMMARY_BREAK---\r?$/;

/**
 * Summaries as one text with a line `---SUMMARY_BREAK---` between two, for other programs. Such a line in a summary gets a backslash; empty
 * summaries are left out.
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

/** Reads what `exportSummaries`, or another program, has written. Nothing else of the package gives the mark a meaning. */
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
