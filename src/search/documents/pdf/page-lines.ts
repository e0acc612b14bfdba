/** A piece of text on a page, in points; `x` grows to the right, `y` downwards. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
}

export interface PageLine {
  readonly text: string;
  /** Position from the top: 0 to 1. */
  readonly place: number;
  /** Left and right end, base line and letter size, in points. */
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  /** 0: the whole page. 1 and 2: the left and the right of two columns. */
  readonly column: number;
  /** Width of the page, in points. */
  readonly pageWidth: number;
  /** True for a line with gaps too wide for a sentence, except after its number: it belongs to a table, or to two columns. */
  readonly isRow: boolean;
}

/** Returns the lines of a page. The pieces of a PDF may come in any order, and may end within a word. */
export const pageLines = (pieces: readonly PlacedText[], page: PageSize, column = 0): PageLine[] =>
  pageRows(pieces).map(({ y, size, pieces: row }) =>
    toLine(row, { size, column, place: page.height > 0 ? y / page.height : 0, pageWidth: page.width }),
  );

export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** Pieces side by side, from left to right. */
export interface PageRow {
  readonly y: number;
  readonly size: number;
  readonly pieces: readonly PlacedText[];
}

export function pageRows(pieces: readonly PlacedText[]): PageRow[] {
  const rows: { y: number; size: number; readonly pieces: PlacedText[] }[] = [];
  for (const piece of pieces.filter(({ text }) => text.trim() !== '').sort((a, b) => a.y - b.y)) {
    const row = rows.at(-1);
    // a superscript number belongs to the line around it
    if (row && piece.y - row.y < Math.min(Math.max(row.size, piece.size), 2 * Math.min(row.size, piece.size)) * 0.45) {
      row.pieces.push(piece);
      row.size = Math.max(row.size, piece.size);
    } else rows.push({ y: piece.y, size: piece.size, pieces: [piece] });
  }
  for (const row of rows) row.pieces.sort((a, b) => a.x - b.x);
  return rows;
}

/** True for the number of a paragraph alone, which a tab may follow. */
export const isMark = (text: string): boolean => /^\s*(?:[^\p{L}\d\s]|\(?[\p{L}\d]{1,4}[.)]|\d{1,3}(?:\.\d{1,3}){1,4}\.?)?\s*$/u.test(text);

function toLine(pieces: readonly PlacedText[], given: Pick<PageLine, 'size' | 'column' | 'place' | 'pageWidth'>): PageLine {
  let text = '';
  let right = Number.NEGATIVE_INFINITY;
  let isRow = false;
  let endsBlank = true;
  for (const piece of pieces) {
    const gap = piece.x - right;
    if (!isRow && gap > piece.size * 2 && !isMark(text)) isRow = true;
    if (!endsBlank && gap > piece.size * 0.17 && !/^\s/.test(piece.text)) text += ' ';
    text += piece.text;
    endsBlank = /\s$/.test(piece.text);
    right = piece.x + piece.width;
  }
  const widest = pieces.reduce((best, piece) => (piece.width > best.width ? piece : best));
  return { text: text.replace(/[ \t\u00a0]+/g, ' ').trim(), left: pieces[0]?.x ?? 0, right, y: widest.y, isRow, ...given };
}
