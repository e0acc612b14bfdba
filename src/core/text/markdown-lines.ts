/** One line of a Markdown or plain text. */
export interface MarkdownLine {
  /** Without its line break. */
  readonly text: string;
  /** Offset in the text. */
  readonly start: number;
  /** `code`: in a fence, fences included. `underline`: the marks below a heading. `matter`: the header between two `---`. */
  readonly kind: 'text' | 'blank' | 'heading' | 'underline' | 'rule' | 'table' | 'code' | 'matter';
  /** Level of a heading, 1 to 6; otherwise 0. */
  readonly level: number;
  /** Words of a heading; otherwise empty. */
  readonly title: string;
}

/** A longer heading counts as text, because every passage below a title repeats it. */
const maxTitleChars = 200;

const fence = /^[\s>]*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
const hashHeading = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const underline = /^ {0,3}(?:={3,}|-{3,})\s*$/;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$/;
const tableRule = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)+$/;
const notTitle = /^(?:\s*$| {4}|\t|\s*(?:[-*+>|]|\d{1,3}[.)])(?:\s|$)|\s*[>|])/;

/** Splits a text into lines and classifies each one. */
export function markdownLines(text: string): readonly MarkdownLine[] {
  const raw = [...text.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)];
  if (raw.at(-1)?.[0] === '') raw.pop(); // the match after the last line break
  const at = (i: number): string => raw[i]?.[1] ?? '';
  const matterEnd = endOfMatter(raw.length, at);
  const lines: MarkdownLine[] = [];
  let open = '';
  for (let i = 0; i < raw.length; i++) {
    const line: MarkdownLine = { text: at(i), start: raw[i]?.index ?? 0, kind: 'code', level: 0, title: '' };
    if (i <= matterEnd) {
      lines.push({ ...line, kind: 'matter' });
    } else if (open !== '') {
      lines.push(line);
      if (closes(open, line.text)) open = '';
    } else {
      open = fence.exec(line.text)?.[1] ?? '';
      lines.push(open !== '' ? line : { ...line, ...kindOf(line.text, lines.at(-1), at(i + 1)) });
    }
  }
  return lines;
}

function kindOf(text: string, before: MarkdownLine | undefined, next: string): Partial<MarkdownLine> {
  if (text.trim() === '') return { kind: 'blank' };
  const short = text.length <= maxTitleChars;
  const hashes = short ? hashHeading.exec(text) : null;
  if (hashes?.[1] && hashes[2]) return { kind: 'heading', level: hashes[1].length, title: hashes[2] };
  if (underline.test(text) && before?.kind === 'heading' && !hashHeading.test(before.text)) return { kind: 'underline' };
  if (rule.test(text)) return { kind: 'rule' };
  const inTable = text.trimStart().startsWith('|') || (text.includes('|') && (before?.kind === 'table' || tableRule.test(next.trim())));
  if (inTable) return { kind: 'table' };
  const startsBlock = before?.kind !== 'text' && before?.kind !== 'table';
  if (short && startsBlock && underline.test(next) && !notTitle.test(text)) {
    return { kind: 'heading', level: next.includes('=') ? 1 : 2, title: text.trim() };
  }
  return { kind: 'text' };
}

function closes(open: string, text: string): boolean {
  const mark = text.replace(/^[\s>]*/, '').trimEnd();
  return mark.length >= open.length && mark === (open[0] ?? '').repeat(mark.length);
}

/** Index of the line that closes the front matter, or -1. */
function endOfMatter(count: number, at: (i: number) => string): number {
  if (at(0).trimEnd() !== '---') return -1;
  for (let i = 1; i < count; i++) {
    if (at(i).trimEnd() === '---') return i;
    if (!/^(?:[\w-]+:|\s|#|- |$)/.test(at(i))) return -1;
  }
  return -1;
}
