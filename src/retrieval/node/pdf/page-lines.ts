/** A piece of text on a page; `x` grows to the right, `y` downwards, in points. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
}

export interface PageLine {
  readonly text: string;
  /** From the top: 0 to 1. */
  readonly place: number;
  /** Where it begins and ends, its base line and the size of its letters, in points. */
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  /** 0: of the whole page. 1 and 2: of the left and right of two columns. */
  readonly column: number;
  /** It has gaps that no sentence has: it is of a table, or of two columns. */
  readonly isRow: boolean;
}

/** The lines of a page from the pieces that a PDF has, which follow in any order and may end within a word. */
export const pageLines = (pieces: readonly PlacedText[], pageHeight: number, column = 0): PageLine[] =>
  pageRows(pieces).map(({ y, size, pieces: row }) => toLine(row, { size, column, place: pageHeight > 0 ? y / pageHeight : 0 }));

/** Pieces side by side, from the left to the right. */
export interface PageRow {
  readonly y: number;
  readonly size: number;
  readonly pieces: readonly PlacedText[];
}

export function pageRows(pieces: readonly PlacedText[]): PageRow[] {
  const rows: { y: number; size: number; readonly pieces: PlacedText[] }[] = [];
  for (const piece of pieces.filter(({ text }) => text.trim() !== '').sort((a, b) => a.y - b.y)) {
    const row = rows.at(-1);
    // a raised number belongs to the line that it stands in
    if (row && piece.y - row.y < Math.max(row.size, piece.size) * 0.45) {
      row.pieces.push(piece);
      row.size = Math.max(row.size, piece.size);
    } else rows.push({ y: piece.y, size: piece.size, pieces: [piece] });
  }
  for (const row of rows) row.pieces.sort((a, b) => a.x - b.x);
  return rows;
}

function toLine(pieces: readonly PlacedText[], { size, column, place }: Pick<PageLine, 'size' | 'column' | 'place'>): PageLine {
  let text = '';
  let right = Number.NEGATIVE_INFINITY;
  let isRow = false;
  for (const piece of pieces) {
    const gap = piece.x - right;
    if (text !== '' && gap > piece.size * 2) isRow = true;
    if (text !== '' && gap > piece.size * 0.17 && !/\s$/.test(text) && !/^\s/.test(piece.text)) text += ' ';
    text += piece.text;
    right = piece.x + piece.width;
  }
  const widest = pieces.reduce((best, piece) => (piece.width > best.width ? piece : best));
  return { text: text.replace(/[ \t\u00a0]+/g, ' ').trim(), place, left: pieces[0]?.x ?? 0, right, y: widest.y, size, column, isRow };
}
