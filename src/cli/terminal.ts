import { styleText } from 'node:util';
import { textColumns } from './text-columns.ts';

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
  if (textColumns(line) <= columns) return line;
  let cut = '';
  for (const character of line) {
    if (textColumns(cut + character) > columns - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Fills a text with spaces up to a width of columns; Hangul counts two. */
export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - textColumns(text)));

/** Columns of the terminal; 100 where there is none. */
export const columnsOf = (stream: NodeJS.WriteStream): number => Math.max(20, stream.columns ?? 100);

/** Columns that a text may take before it is broken; where there is no terminal it is never broken, for programs read it. */
export const breakAt = (stream: NodeJS.WriteStream): number => (stream.isTTY ? columnsOf(stream) : Number.POSITIVE_INFINITY);

/** A text on as few lines of a width of columns as hold it, broken between words where there are any; all but the first are indented. */
export function wrap(text: string, columns: number, indent = 0): readonly string[] {
  const lines: string[] = [];
  const widthNow = (): number => Math.max(8, columns - (lines.length === 0 ? 0 : indent));
  const end = (line: string): void => void lines.push(`${lines.length === 0 ? '' : ' '.repeat(indent)}${line.trimEnd()}`);
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (textColumns(longer) <= widthNow()) {
      line = longer;
      continue;
    }
    if (line !== undefined) end(line);
    line = word;
    while (textColumns(line) > widthNow()) {
      const piece = fitting(line, widthNow());
      end(piece);
      line = line.slice(piece.length);
    }
  }
  if (line !== undefined) end(line);
  return lines;
}

/** The beginning of a word that is longer than a line: one character at least. */
function fitting(word: string, columns: number): string {
  let piece = '';
  for (const character of word) {
    if (piece !== '' && textColumns(piece + character) > columns) break;
    piece += character;
  }
  return piece;
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text for standard error: not when it is no terminal, and not with NO_COLOR. */
export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr });

/** Columns of the last cell, below which rows are better read one under the other. */
const narrowest = 20;

/**
 * A table with aligned columns, safe to print. Where even a part of the last one has no room, each row takes several lines, without the
 * header.
 *
 * @param last what becomes of a last cell that is wider than the terminal: it is cut, or goes on below itself. Default: `cut`.
 */
export function table(contents: readonly (readonly string[])[], columns: number, last: 'cut' | 'wrap' = 'cut'): string {
  const rows = contents.map((row) => row.map((cell) => oneLine(cell)));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textColumns(row[column] ?? ''))));
  const fixed = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const fill = last === 'cut' ? cut : wrap;
  if (fixed + narrowest > columns)
    return rows
      .slice(1)
      .flatMap((row) => stacked(row, columns, fill))
      .join('\n');
  return rows
    .flatMap((row) => {
      const cells = row.slice(0, -1).map((cell, column) => pad(cell, widths[column] ?? 0));
      const [first = '', ...more] = fill(row.at(-1) ?? '', columns - fixed);
      return [[...cells, first].join('  ').trimEnd(), ...more.map((line) => ' '.repeat(fixed) + line)];
    })
    .join('\n');
}

const cut = (text: string, columns: number): readonly string[] => [oneLine(text, columns)];

/** A row on lines of its own: as many cells on each as it has room for, then the last one. */
function stacked(row: readonly string[], columns: number, fill: (text: string, columns: number) => readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const cell of row.slice(0, -1).filter((text) => text !== '')) {
    const longer = lines.length === 0 ? cell : `${lines.at(-1)}  ${cell}`;
    if (lines.length > 0 && textColumns(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(lines.length === 0 ? oneLine(cell, columns) : `  ${oneLine(cell, columns - 2)}`);
  }
  const last = row.at(-1) ?? '';
  return last === '' ? lines : [...lines, ...fill(last, columns - 2).map((line) => `  ${line}`)];
}

export const milliseconds = (value: number): string => (value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);
