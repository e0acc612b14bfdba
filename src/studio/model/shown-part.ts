import type { DocumentDetails, DocumentPart } from '../../api/calls.ts';

/** A part of a contract as it is read: an article, an exhibit. */
export interface ShownPart {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly chapter: string;
  readonly deleted: boolean;
  /** Below its heading; empty where only the outline is known. */
  readonly text: string;
}

/** The parts of a document, with what stands below their headings where its text is there. */
export const shownParts = ({ outline, text = '' }: Pick<DocumentDetails, 'outline' | 'text'>): readonly ShownPart[] =>
  outline.map(({ id, label, title, chapter, deleted, start, end }: DocumentPart) => ({
    id,
    label,
    title,
    chapter,
    deleted,
    text: withoutHeading(text.slice(start, end), label, title),
  }));

/** The heading is shown in a way of its own; one that is written in another way is left. */
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
