import type { TextDocument } from '../../core/ports/text-document.ts';
import { isMostlyKorean } from '../../core/text/is-korean.ts';
import type { Article, ArticlePart, Chapter, ContractDocument, ContractPart, ContractWarning } from '../contract-document.ts';
import { divide } from './article-divisions.ts';
import { type ContractLine, foldText } from './contract-lines.ts';
import { warningsOf } from './contract-warnings.ts';
import { findReferences } from './cross-references.ts';
import { isDeleted } from './deleted.ts';
import { type DocumentPart, documentParts, partWithoutHeading } from './document-parts.ts';
import { wordsOf } from './heading.ts';
import { isNumberAndDate, specialTerms } from './part-heading.ts';
import { readHeadings } from './read-headings.ts';
import type { SelectedHeading } from './select-headings.ts';
import { signatureStart } from './signature.ts';
import { isStruck } from './struck-text.ts';

type Draft = Omit<Article, 'paragraphs' | 'items' | 'references'>;

/**
 * Parses a contract or statute, Korean or English, from Markdown or plain text. Never fails: doubtful passages are in `warnings`, and a
 * document without articles is divided into paragraphs. Takes time linear in the length of the text.
 *
 * @example parseContract({ name: 'lease.md', text: '# 임대차계약서\n\n제1조(목적) 이 계약은 …' }).articles[0]?.label // '제1조'
 */
export function parseContract(document: TextDocument): ContractDocument {
  const text = document.text.replace(/\r\n?/g, '\n');
  const folded = foldText(text);
  const korean = isMostlyKorean(folded); // sections without a label then get a Korean one
  const { lines, headings } = readHeadings(text, folded, korean);
  const { drafts, chapters, outside } = draft({ text, folded, lines, headings, korean });
  const divided = drafts.map((one) => ({ ...one, ...divide(one.text, englishNumber(one.label)), references: [] }));
  const title = titleOf(document.name, text, lines, lines[headings[0]?.line ?? lines.length]?.start ?? text.length);
  const found = findReferences(divided, title);
  const parts = documentParts(text, found, outside, korean);
  const articles = parts.filter(({ part }) => isArticlePart(part));
  const structure = articles.length > 0 ? 'articles' : 'paragraphs';
  return {
    name: document.name,
    title,
    text,
    structure,
    articles,
    parts,
    chapters,
    warnings: [...noticesOf(document), ...warningsOf(articles)],
  };
}

const englishNumber = (label: string): number | undefined => {
  const found = /^(?:Article|Section|Clause) (\d{1,3})$/.exec(label)?.[1];
  return found === undefined ? undefined : Number(found);
};

const noticesOf = ({ notices = [] }: TextDocument): readonly ContractWarning[] =>
  notices.map((message) => ({ code: 'DOCUMENT_NOTICE', message }));

const isArticlePart = (part: ContractPart): part is ArticlePart => part === 'body' || part === 'addenda' || part === 'exhibit';

interface DraftSource {
  readonly text: string;
  readonly folded: string;
  readonly lines: readonly ContractLine[];
  readonly headings: readonly SelectedHeading[];
  readonly korean: boolean;
}

interface Drafts {
  readonly drafts: readonly Draft[];
  readonly chapters: readonly Chapter[];
  /** Chapter headings and signatures. */
  readonly outside: readonly DocumentPart[];
}

function draft({ text, folded, lines, headings, korean }: DraftSource): Drafts {
  const drafts: Draft[] = [];
  const chapters: Chapter[] = [];
  const outside: DocumentPart[] = [];
  const path: { rank: number; heading: string }[] = [];
  const seen = new Map<string, number>();
  const enclosing = enclosingArticle();
  let block: { readonly heading: string; readonly id?: string } | undefined;
  const startOf = (i: number): number => lines[headings[i]?.line ?? lines.length]?.start ?? text.length;
  const ends = articleEnds(folded, headings, startOf, text.length);
  headings.forEach((heading, i) => {
    const { kind, part, label, title, textStart } = heading;
    const [start, end] = [startOf(i), ends[i] ?? text.length];
    const written = writtenLabel(text, lines, heading);
    if (end < startOf(i + 1) && text.slice(end, startOf(i + 1)).trim() !== '')
      outside.push(partWithoutHeading('signatures', end, startOf(i + 1), korean));
    const words = `${label}${title === '' ? '' : ` ${title}`}`;
    if (kind === 'chapter') {
      const rank = rankOf(label);
      if (path.some((one) => one.rank === rank && one.heading === words)) return; // a page header
      while ((path.at(-1)?.rank ?? -1) >= rank) path.pop();
      path.push({ rank, heading: words });
      chapters.push({ label, title, start });
      outside.push({ part: 'chapter', label, written, title, start, end });
      return;
    }
    const behind = Math.min(skipUnderline(folded, textStart), end);
    // a struck-through text keeps its first mark
    const from = text.slice(behind - 2, behind) === '~~' && text.slice(behind, end).split('~~').length % 2 === 0 ? behind - 2 : behind;
    const body = text
      .slice(from, end)
      .replace(/^[*_]{2}/, '')
      .trim();
    const id = `${part}/${label}`;
    if (kind !== 'article') block = { heading: words };
    if (kind === 'addenda' && !hasWords(folded, lines, heading.line + 1, end)) return;
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    const gone = isDeleted(foldText(body)) || isStruck(body);
    const own = count === 1 ? id : `${id}#${count}`;
    if (kind !== 'article') block = { heading: words, id: own };
    const parentId = kind === 'article' ? (enclosing(heading, own) ?? (part === 'body' ? undefined : block?.id)) : undefined;
    drafts.push({
      id: own,
      part,
      label,
      written,
      ...(parentId === undefined ? {} : { parentId }),
      title,
      text: body,
      deleted: gone,
      chapter: part === 'body' ? path.map((one) => one.heading).join(' › ') : kind === 'article' ? (block?.heading ?? '') : '',
      start,
      end,
    });
  });
  return { drafts, chapters, outside };
}

/** Finds the id of `Article 4` for the `Section 4.02` below it. `제4조의2` is not part of `제4조`. */
function enclosingArticle(): (heading: SelectedHeading, id: string) => string | undefined {
  let open: { readonly part: ContractPart; readonly number: number; readonly id: string } | undefined;
  return ({ part, scheme, numbers }, id) => {
    const [number = 0] = numbers;
    if (scheme === '조') return undefined;
    if (numbers.length === 1) open = { part, number, id };
    return numbers.length > 1 && open?.part === part && open.number === number ? open.id : undefined;
  };
}

/** Returns the label as written, without its bracket. */
const writtenLabel = (text: string, lines: readonly ContractLine[], { line, labelEnd }: SelectedHeading): string =>
  text.slice(lines[line]?.coreStart ?? labelEnd, labelEnd).replace(/^[[<【(]\s*|[\s*_]+$/g, '');

const ranks = ['편', '장', '절', '관'];
const rankOf = (label: string): number => {
  const rank = ranks.findIndex((one) => label.replace(/의\d+$/, '').endsWith(one));
  if (rank >= 0) return rank;
  return label.startsWith('Part') ? 0 : 1;
};

/** An article ends at the next heading. The last one of the body and of the addenda, and special terms, end at the signatures. */
function articleEnds(
  folded: string,
  headings: readonly SelectedHeading[],
  startOf: (i: number) => number,
  length: number,
): readonly number[] {
  return headings.map((heading, i) => {
    const next = headings[i + 1];
    const end = next ? startOf(i + 1) : length;
    const isSigned = heading.part !== 'exhibit' || heading.label === specialTerms;
    const isLast = isSigned && (next === undefined || next.kind === 'addenda' || next.kind === 'exhibit');
    return isLast ? signatureStart(folded, heading.textStart - 1, end) : end;
  });
}

/** True if a range contains more than page numbers and the rest of a wrapped heading. */
function hasWords(folded: string, lines: readonly ContractLine[], from: number, end: number): boolean {
  for (let i = from; (lines[i]?.start ?? end) < end; i++) {
    const line = lines[i];
    if (line?.kind === 'text' && !isNumberAndDate(folded.slice(line.start, Math.min(line.end, line.start + 200)))) return true;
  }
  return false;
}

/** Skips the line of `---` or `===` below a heading. */
function skipUnderline(folded: string, at: number): number {
  const found = /^\n[ \t]{0,3}(?:={3,80}|-{3,80})[ \t]*(?=\n|$)/.exec(folded.slice(at, at + 100));
  return found ? at + found[0].length : at;
}

const named = /^(?:제목|title)[ \t]*:[ \t]*(.{1,200})$/i;
const maxChars = 80;
/** The heading of a part, not of the document. */
const partHeading =
  /^(?:\||제\s{0,3}\d{1,5}\s{0,3}[조장절편관]|부\s{0,6}칙|[[<【(]?\s?(?:별지|별표|별첨|붙임|첨부|부록)|(?:article|section|clause|chapter|part|exhibit|schedule|annex|appendix|attachment|addend|supplementary)\b|§|\d{1,3}[.)]|목\s*차|차\s*례|(?:table of )?contents)/i;

/** Returns the document's own title: from its header, its first heading, or a short first line. Otherwise returns the file name. */
function titleOf(name: string, text: string, lines: readonly ContractLine[], end: number): string {
  let first: string | undefined;
  for (const line of lines) {
    if (line.start >= end) break;
    if (line.kind === 'matter') {
      const found = named
        .exec(text.slice(line.start, line.end))?.[1]
        ?.replace(/^(["'])(.*)\1$/, '$2')
        .trim();
      if (found && !partHeading.test(found) && /[\p{L}\p{N}]/u.test(found)) return found;
    }
    if (line.kind !== 'text') continue;
    const words = wordsOf(text, line.coreStart, line.coreStart + line.core.length);
    if (partHeading.test(words) || !/[\p{L}\p{N}]/u.test(words)) continue;
    if (line.hashes === 1) return words;
    if (words !== '') first ??= line.end - line.start <= maxChars && !/[.다:,]$/.test(words) ? words : '';
  }
  return first || (name.split(/[\\/]/).at(-1) ?? name).replace(/\.[^.]{1,8}$/, '');
}
