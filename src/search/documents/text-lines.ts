/**
 * Builds the text of a document. Paragraphs are lines, a table row is a line with tabs, and the content nested in a paragraph follows it.
 */
export interface TextLines {
  write(text: string): void;
  /** Begins a paragraph; a nested one follows its outer paragraph. */
  beginParagraph(): void;
  endParagraph(): void;
  beginRow(): void;
  endCell(): void;
  endRow(): void;
  done(): string;
}

export function createTextLines(): TextLines {
  const lines: string[] = [];
  const open: { text: string; readonly behind: string[] }[] = [];
  const rows: { readonly cells: string[]; cell: string[] }[] = [];
  const put = (line: string): void => {
    const above = open.at(-1);
    const row = rows.at(-1);
    if (row && row.cell !== undefined) row.cell.push(line);
    else if (above) above.behind.push(line);
    else lines.push(line);
  };
  return {
    write(text) {
      const last = open.at(-1);
      if (last) last.text += text;
    },
    beginParagraph() {
      open.push({ text: '', behind: [] });
    },
    endParagraph() {
      const ended = open.pop();
      if (!ended) return;
      for (const line of ended.text.split('\n')) put(line.trimEnd());
      for (const line of ended.behind) put(line);
    },
    beginRow() {
      rows.push({ cells: [], cell: [] });
    },
    endCell() {
      const row = rows.at(-1);
      if (!row) return;
      row.cells.push(row.cell.filter((line) => line.trim() !== '').join('\n'));
      row.cell = [];
    },
    endRow() {
      const cells = rows.pop()?.cells ?? [];
      if (cells.some((cell) => cell.includes('\n'))) for (const cell of cells) for (const line of cell.split('\n')) put(line);
      else put(cells.join('\t').trimEnd());
    },
    done: () => lines.join('\n'),
  };
}
