import { styleText } from 'node:util';
import { textColumns } from './text-columns.ts';

/** Characters that would move the cursor, change colours, hide text or change its direction. Emoji joiners and selectors are allowed. */
const unsafe = /(?![\n\t]|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Makes untrusted text safe to print: escapes control characters, keeps line breaks and tabs. */
export const escapeControls = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(unsafe, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Formats a value as JSON that is safe to print. Escapes control characters that `JSON.stringify` keeps but a terminal would obey. */
export const printableJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(unsafe, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** True when a user can be asked: standard input and standard error are a terminal. */
export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Makes untrusted text safe to print on one line, cut to a number of columns. */
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

/** Pads a text with spaces to a number of columns; a Hangul syllable counts as two. */
export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - textColumns(text)));

/** Width of the terminal in columns; 100 without a terminal. */
export const columnsOf = (stream: NodeJS.WriteStream): number => Math.max(20, stream.columns ?? 100);

/** Number of columns at which text is wrapped. Without a terminal it is infinite, because programs read the output. */
export const breakAt = (stream: NodeJS.WriteStream): number => (stream.isTTY ? columnsOf(stream) : Number.POSITIVE_INFINITY);

/** Wraps a text to a number of columns, between words if possible. All lines but the first are indented. */
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

/** Prefix of a long word that fits in a line, at least one character. */
function fitting(word: string, columns: number): string {
  let piece = '';
  for (const character of word) {
    if (piece !== '' && textColumns(piece + character) > columns) break;
    piece += character;
  }
  return piece;
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text for standard error, unless it is not a terminal or NO_COLOR is set. */
export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr });

/** Minimum width of the last cell in columns; below it, rows are stacked. */
const narrowest = 20;

/**
 * Formats a table with aligned columns, safe to print. If the last column does not fit, each row takes several lines, without the header.
 *
 * @param last Handling of a last cell that is wider than the terminal: cut it, or wrap it. Default: `cut`.
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

/** Formats a row on several lines: as many cells per line as fit, and the last cell on its own. */
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
