import { styleText } from 'node:util';
import stringWidth from 'string-width';

/** Characters that would move the cursor, change colours, hide text or turn its direction; not those that make emoji. */
const unsafe = /(?![\n\t]|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text from outside, safe to print: control characters are escaped, line breaks and tabs stay. */
export const escapeControls = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(unsafe, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** A value as JSON, safe to print: what `JSON.stringify` leaves as it is and a terminal would obey is escaped, too. */
export const printableJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(unsafe, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

/** Prints a line to standard output. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Somebody can be asked: they type into standard input, and see standard error. */
export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** A text from outside on one line, safe to print, cut to a width of columns. */
export function oneLine(text: string, columns: number = Number.POSITIVE_INFINITY): string {
  const line = escapeControls(text.replace(/\s+/g, ' ').trim());
  if (stringWidth(line) <= columns) return line;
  let cut = '';
  for (const character of line) {
    if (stringWidth(cut + character) > columns - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Fills a text with spaces up to a width of columns; Hangul counts two. */
export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - stringWidth(text)));

/** Columns of the terminal; 100 where there is none. */
export const columnsOf = (stream: NodeJS.WriteStream): number => Math.max(60, stream.columns ?? 100);

type Style = Parameters<typeof styleText>[0];

/** Colours a text for standard error: not when it is no terminal, and not with NO_COLOR. */
export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr });

/** A table with aligned columns, safe to print; the last one is cut to the terminal's width. */
export function table(contents: readonly (readonly string[])[], columns: number): string {
  const rows = contents.map((row) => row.map((cell) => oneLine(cell)));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))));
  return rows
    .map((row) => {
      const cells = row.slice(0, -1).map((cell, column) => pad(cell, widths[column] ?? 0));
      const used = cells.reduce((sum, cell) => sum + stringWidth(cell) + 2, 0);
      return [...cells, oneLine(row.at(-1) ?? '', Math.max(20, columns - used))].join('  ').trimEnd();
    })
    .join('\n');
}

export const milliseconds = (value: number): string => (value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);
