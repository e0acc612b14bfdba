import type { DocumentDetails, DocumentPart } from '../../server/api/calls.ts';

/** A displayed part of a contract: an article or an exhibit. */
export interface ShownPart {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly chapter: string;
  readonly deleted: boolean;
  /** Text below the heading; empty if only the outline is known. */
  readonly text: string;
}

/** Parts of a document, with the text below their headings if available. */
export const shownParts = ({ outline, text = '' }: Pick<DocumentDetails, 'outline' | 'text'>): readonly ShownPart[] =>
  outline.map(({ id, label, title, chapter, deleted, start, end }: DocumentPart) => ({
    id,
    label,
    title,
    chapter,
    deleted,
    text: withoutHeading(text.slice(start, end), label, title),
  }));

/** Removes the heading, which is displayed separately, unless it is written differently. */
function withoutHeading(text: string, label: string, title: string): string {
  const isHeading = (line: string): boolean =>
    /^[\s#*]*$/.test(
      line
        .replace(label, '')
        .replace(title, '')
        .replace(/[()[\]【】]/g, ''),
    );
  const [first = '', ...lines] = text.trim().split('\n');
  if (isHeading(first)) return lines.join('\n').trim();
  const bracketed = `${label}(${title})`;
  return title !== '' && first.startsWith(bracketed) ? text.trim().slice(bracketed.length).trim() : text.trim();
}
