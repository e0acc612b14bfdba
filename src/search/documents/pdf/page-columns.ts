import { isMark, type PageLine, type PageSize, type PlacedText, pageLines, pageRows } from './page-lines.ts';

export interface PdfPage extends PageSize {
  readonly pieces: readonly PlacedText[];
}

/** Minimum number of lines in a column; fewer lines side by side are signatures, or a table. */
const minLines = 8;

/** Returns the lines of pages in reading order. On a page with two columns, the left one comes first. */
export function linesInColumns(pages: readonly PdfPage[]): readonly (readonly PageLine[])[] {
  const stretched = pages.map((page) => ({ ...page, stretches: stretchesOf(page.pieces) }));
  const gutters = stretched.map(gutterOf);
  const found = gutters.filter((gutter) => gutter !== undefined).sort((a, b) => a - b);
  // the last page of a two-column text may be half empty
  const usual = found.length >= pages.length * 0.3 ? found[found.length >> 1] : undefined;
  return stretched.map((page, index) => {
    const gutter = gutters[index] ?? usual;
    return gutter === undefined ? pageLines(page.pieces, page) : inColumns(page, gutter);
  });
}

/** Orders the lines of a page with two columns. A line across both separates the lines above it from those below. */
function inColumns(page: StretchedPage, gutter: number): PageLine[] {
  const { left, right, across, tables } = split(page.stretches, gutter);
  const columns = [pageLines(left, page, 1), pageLines(right, page, 2)];
  if (pageLines(across, page).length * 2 > Math.max(...columns.map((lines) => lines.length))) return pageLines(page.pieces, page);
  const whole = pageLines([...across, ...tables], page);
  const lines: PageLine[] = [];
  const rest = columns.map((column) => column.values());
  const heads = rest.map((column) => column.next().value);
  for (const line of [...whole, undefined]) {
    const to = line?.y ?? Number.POSITIVE_INFINITY;
    for (const [index, column] of rest.entries()) {
      for (let head = heads[index]; head && head.y < to; head = heads[index]) {
        lines.push(head);
        heads[index] = column.next().value;
      }
    }
    if (line) lines.push(line);
  }
  return lines;
}

/** Returns the position of the gap between two columns of sentences, or `undefined` for a page with one column or a table. */
function gutterOf({ stretches, ...page }: StretchedPage): number | undefined {
  const from = stretches.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const to = stretches.reduce((most, { end }) => Math.max(most, end), Number.NEGATIVE_INFINITY);
  const gap = widestGap(stretches, from + (to - from) * 0.35, from + (to - from) * 0.65);
  if (!gap) return undefined;
  const gutter = (gap.from + gap.to) / 2;
  const { left, right, across } = split(stretches, gutter);
  const columns = [
    { lines: pageLines(left, page), width: gap.from - from },
    { lines: pageLines(right, page), width: to - gap.to },
  ];
  const areColumns = columns.every(({ lines, width }) => {
    const long = lines.filter((line) => line.right - line.left > width * 0.6);
    const rows = lines.filter(({ isRow }) => isRow);
    return lines.length >= minLines && long.length * 2 > lines.length && rows.length < lines.length * 0.3;
  });
  const fewest = Math.min(...columns.map(({ lines }) => lines.length));
  return areColumns && pageLines(across, page).length * 4 < fewest ? gutter : undefined;
}

/** Words separated only by blanks. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly row: number;
  readonly pieces: readonly PlacedText[];
}

interface StretchedPage extends PdfPage {
  readonly stretches: readonly Stretch[];
}

function stretchesOf(pieces: readonly PlacedText[]): Stretch[] {
  const stretches: { readonly start: number; end: number; readonly row: number; readonly pieces: PlacedText[] }[] = [];
  for (const [index, row] of pageRows(pieces).entries()) {
    let last: (typeof stretches)[number] | undefined;
    for (const piece of row.pieces) {
      const end = piece.x + piece.width;
      if (last && piece.x - last.end < piece.size) {
        last.pieces.push(piece);
        last.end = Math.max(last.end, end);
      } else {
        last = { start: piece.x, end, row: index, pieces: [piece] };
        stretches.push(last);
      }
    }
  }
  return stretches;
}

interface Split {
  readonly left: readonly PlacedText[];
  readonly right: readonly PlacedText[];
  readonly across: readonly PlacedText[];
  /** Rows with several cells on both sides. */
  readonly tables: readonly PlacedText[];
}

function split(stretches: readonly Stretch[], gutter: number): Split {
  const parts: Record<keyof Split, PlacedText[]> = { left: [], right: [], across: [], tables: [] };
  const sideOf = ({ start, end }: Stretch): keyof Split => (end <= gutter ? 'left' : start >= gutter ? 'right' : 'across');
  for (const row of Map.groupBy(stretches, (stretch) => stretch.row).values()) {
    const cellsIn = (side: keyof Split): number =>
      row
        .filter((stretch) => sideOf(stretch) === side)
        .filter(({ pieces }, at) => at > 0 || !isMark(pieces.map(({ text }) => text).join(''))).length;
    const isTable = cellsIn('left') > 1 && cellsIn('right') > 1;
    for (const stretch of row) {
      const part = parts[isTable ? 'tables' : sideOf(stretch)];
      for (const piece of stretch.pieces) part.push(piece); // not `push(...pieces)`: there may be too many for the arguments of one call
    }
  }
  return parts;
}

/** Returns the widest range, in points, among those that the fewest stretches cross. */
function widestGap(stretches: readonly Stretch[], from: number, to: number): { readonly from: number; readonly to: number } | undefined {
  const places = Math.floor(to - from);
  if (!(places > 0 && places < 10_000)) return undefined;
  const changes = Array.from({ length: places + 1 }, () => 0);
  const change = (at: number, by: number): void => {
    const place = Math.min(places, Math.max(0, Math.ceil(at - from)));
    changes[place] = (changes[place] ?? 0) + by;
  };
  for (const { start, end } of stretches) {
    change(start, 1);
    change(end, -1);
  }
  let count = 0;
  const crossing = changes.slice(0, places).map((by) => {
    count += by;
    return count;
  });
  const fewest = crossing.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
  let best = { from, to: from };
  for (let at = 0; at < places; at++) {
    const first = at;
    while (at < places && crossing[at] === fewest) at++;
    if (at - first > best.to - best.from) best = { from: from + first, to: from + at };
  }
  return best;
}
