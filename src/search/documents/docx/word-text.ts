import { isObject } from '../../../core/util/is-object.ts';
/**
 * Returns the text of a document that `mammoth` has read. A paragraph is a line. A table row is a line with tabs, if each cell has one
 * line. A note follows the paragraph that refers to it. Struck-through text is in `~~`.
 */
export function wordText(document: unknown): string {
  const lines: string[] = [];
  const put = (line: string): void => {
    lines.push(line);
  };
  const noted = new Set<unknown>();
  let waiting: string[] = [];
  for (const child of childrenOf(document)) block(child, put);
  return lines.join('\n');

  function block(node: unknown, put: (line: string) => void): void {
    const type = typeOf(node);
    if (type === 'paragraph') paragraph(node, put);
    else if (type === 'tableRow') row(node, put);
    else for (const child of childrenOf(node)) block(child, put);
  }

  function paragraph(node: unknown, put: (line: string) => void): void {
    const inside: unknown[] = [];
    const text = childrenOf(node)
      .map((child) => inline(child, inside))
      .join('')
      .replaceAll('~~~~', '');
    for (const line of text.split('\n')) put(line.trimEnd());
    for (const box of inside) block(box, put);
    const below = waiting;
    waiting = [];
    for (const note of below) put(note);
  }

  function row(node: unknown, put: (line: string) => void): void {
    const cells = childrenOf(node).map((cell) => {
      const inCell: string[] = [];
      for (const child of childrenOf(cell)) block(child, (line) => inCell.push(line));
      return inCell.filter((line) => line.trim() !== '');
    });
    if (cells.every((cell) => cell.length <= 1))
      put(
        cells
          .map((cell) => cell[0] ?? '')
          .join('\t')
          .trimEnd(),
      );
    else for (const cell of cells) for (const line of cell) put(line);
  }

  /** Returns the text of a run; its inner paragraphs, those of text boxes, go to `inside`. */
  function inline(node: unknown, inside: unknown[]): string {
    const type = typeOf(node);
    if (type === 'text') return stringOf(node, 'value');
    if (type === 'tab') return '\t';
    if (type === 'break') return '\n';
    if (type === 'checkbox') return isObject(node) && node.checked === true ? '☑' : '☐';
    if (type === 'noteReference') return reference(node);
    if (type === 'paragraph' || type === 'table') {
      inside.push(node);
      return '';
    }
    const text = childrenOf(node)
      .map((child) => inline(child, inside))
      .join('');
    // as in Markdown; the words still stand in the document, but no longer apply
    return isObject(node) && node.isStrikethrough === true && text.trim() !== '' ? `~~${text}~~` : text;
  }

  function reference(node: unknown): string {
    const note = noteOf(document, node);
    // a note is not repeated at a further reference, which may even be inside the note
    if (note === undefined || noted.has(note)) return '';
    noted.add(note);
    const mark = `[${noted.size}]`;
    const written: string[] = [];
    const before = waiting;
    waiting = [];
    for (const child of bodyOf(note)) block(child, (line) => written.push(line.trim()));
    waiting = before;
    waiting.push(`${mark} ${written.filter((line) => line !== '').join(' ')}`);
    return mark;
  }
}

function noteOf(document: unknown, reference: unknown): unknown {
  const notes = isObject(document) ? document.notes : undefined;
  return (isObject(notes) && typeof notes.resolve === 'function' && notes.resolve(reference)) || undefined;
}

const bodyOf = (note: unknown): readonly unknown[] => (isObject(note) && Array.isArray(note.body) ? note.body : []);

const typeOf = (node: unknown): string => stringOf(node, 'type');

function stringOf(node: unknown, key: string): string {
  const value = isObject(node) ? node[key] : undefined;
  return typeof value === 'string' ? value : '';
}

const childrenOf = (node: unknown): readonly unknown[] => (isObject(node) && Array.isArray(node.children) ? node.children : []);
