import type { Passage } from '../../core/ports/retriever.ts';
import type { TextDocument } from '../../core/ports/text-document.ts';
import { type MarkdownLine, markdownLines } from '../../core/text/markdown-lines.ts';
import { cutAtSentence } from '../../core/text/sentences.ts';

/** A passage of a document, without a score. */
export type DocumentPassage = Omit<Passage, 'score'>;

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Section extends Span {
  readonly heading: string;
  readonly title: string;
  readonly lines: readonly MarkdownLine[];
  /** True if a deeper heading follows, whose path contains the title. */
  readonly continued: boolean;
}

const maxChars = 1_200;
/** A shorter last piece joins the previous one: on its own, a single word would make it a hit. */
const minLastChars = 200;

/**
 * Splits a Markdown or plain text into passages, in order. There is one passage per heading; long ones are cut at paragraphs near 1,200
 * characters. Code blocks and tables stay whole if they fit. The body is neither shortened nor changed.
 *
 * @example markdownPassages({ name: 'a.md', text: '# A\n## B\nText.' }) // [{ source: 'a.md', heading: 'A › B', text: 'Text.' }]
 */
export function markdownPassages(document: TextDocument): DocumentPassage[] {
  const { name: source, text } = document;
  const passages: DocumentPassage[] = [];
  for (const { heading, title, continued, ...section } of sectionsOf(text)) {
    const bodies = piecesOf(text, section).map(({ start, end }) => withoutBlankEdges(text.slice(start, end)));
    const bodiesWithText = bodies.filter((body) => body !== '');
    if (bodiesWithText.length === 0 && title !== '' && !continued) bodiesWithText.push(title); // otherwise the title could not be found
    for (const body of bodiesWithText) passages.push({ source, heading, text: body });
  }
  return passages;
}

function* sectionsOf(text: string): Generator<Section> {
  const path: MarkdownLine[] = [];
  let lines: MarkdownLine[] = [];
  const section = (next?: MarkdownLine): Section => ({
    heading: path.map(({ title }) => title).join(' › '),
    title: path.at(-1)?.title ?? '',
    lines,
    start: lines[0]?.start ?? 0,
    end: lines.length > 0 ? (next?.start ?? text.length) : 0,
    continued: next !== undefined && next.level > (path.at(-1)?.level ?? 0),
  });
  for (const line of markdownLines(text)) {
    if (line.kind === 'heading') {
      yield section(line);
      while ((path.at(-1)?.level ?? 0) >= line.level) path.pop();
      path.push(line);
      lines = [];
    } else if (line.kind !== 'underline') {
      lines.push(line);
    }
  }
  yield section();
}

/** Packs the blocks of a section into pieces that cover it without gaps. */
function piecesOf(text: string, section: Pick<Section, 'start' | 'end' | 'lines'>): Span[] {
  const pieces: Span[] = [];
  let { start } = section;
  let end = start;
  for (const part of partsOf(text, section)) {
    if (part.end - start > maxChars && end > start) {
      pieces.push({ start, end });
      start = end;
    }
    end = part.end;
  }
  const last = pieces.at(-1);
  if (last && end - start < minLastChars) pieces[pieces.length - 1] = { start: last.start, end };
  else pieces.push({ start, end });
  return pieces;
}

/** Yields the parts of a piece: blocks, and the lines of a block that is too long. */
function* partsOf(text: string, { lines, end }: Pick<Section, 'end' | 'lines'>): Generator<Span> {
  for (let first = 0; first < lines.length; ) {
    let next = first + 1;
    while (next < lines.length && continues(lines[next - 1], lines[next])) next++;
    const block = { start: startOf(lines[first], end), end: startOf(lines[next], end) };
    if (block.end - block.start <= maxChars) {
      yield block;
    } else {
      for (let i = first; i < next; i++) yield* cutLine(text, { start: startOf(lines[i], end), end: startOf(lines[i + 1], end) });
    }
    first = next;
  }
}

const startOf = (line: MarkdownLine | undefined, end: number): number => line?.start ?? end;

/** True within a block: a paragraph, a code block or a table, with the blank lines after it. */
const continues = (before: MarkdownLine | undefined, line: MarkdownLine | undefined): boolean =>
  line?.kind === 'blank' || line?.kind === before?.kind;

function* cutLine(text: string, line: Span): Generator<Span> {
  let { start } = line;
  while (line.end - start > maxChars) {
    const end = start + (cutAtSentence(text.slice(start, line.end), maxChars).length || maxChars);
    yield { start, end };
    start = end;
  }
  yield { start, end: line.end };
}

/** Keeps the indentation of the first line, which has a meaning in lists and code. */
const withoutBlankEdges = (text: string): string => text.replace(/^(?:[^\S\r\n]*(?:\r\n|\r|\n))+/, '').trimEnd();
