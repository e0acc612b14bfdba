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
}

/** The lines of a page from the pieces that a PDF has, which follow in any order and may end within a word. */
export function pageLines(pieces: readonly PlacedText[], pageHeight: number): PageLine[] {
  const lines: { y: number; size: number; readonly pieces: PlacedText[] }[] = [];
  for (const piece of [...pieces].filter(({ text }) => text.trim() !== '').sort((a, b) => a.y - b.y)) {
    const line = lines.at(-1);
    // a raised number belongs to the line that it stands in
    if (line && piece.y - line.y < Math.max(line.size, piece.size) * 0.45) {
      line.pieces.push(piece);
      line.size = Math.max(line.size, piece.size);
    } else lines.push({ y: piece.y, size: piece.size, pieces: [piece] });
  }
  return lines.map(({ y, pieces }) => ({ text: joined(pieces), place: pageHeight > 0 ? y / pageHeight : 0 }));
}

function joined(pieces: readonly PlacedText[]): string {
  let text = '';
  let end = 0;
  for (const piece of [...pieces].sort((a, b) => a.x - b.x)) {
    const gap = piece.x - end;
    if (text !== '' && gap > piece.size * 0.17 && !/\s$/.test(text) && !/^\s/.test(piece.text)) text += ' ';
    text += piece.text;
    end = piece.x + piece.width;
  }
  return text.replace(/[ \t\u00a0]+/g, ' ').trim();
}
