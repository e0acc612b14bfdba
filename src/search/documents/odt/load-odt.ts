import { invalidDocument } from '../document-errors.ts';
import type { DocumentFile } from '../document-file.ts';
import { changesAccepted, type ReadText } from '../read-text.ts';
import { createTextLines } from '../text-lines.ts';
import { brokenDocument, readPart, unzipDocument } from '../unzip-document.ts';
import { odtNumbering, readOdtStyles } from './odt-numbering.ts';

const kind = 'an OpenDocument text';
/** Deleted text, comments, the last printed number of a note or paragraph, and replacements of objects. */
const skippedTags = new Set([
  'text:tracked-changes',
  'office:annotation',
  'text:note-citation',
  'text:number',
  'svg:title',
  'svg:desc',
  'text:alphabetical-index-source',
]);
const maxBlanks = 200;

const isUnseen = (tag: string, get: (attribute: string) => string | undefined): boolean =>
  (/^text:hidden-(?:text|paragraph)$/.test(tag) && get('text:is-hidden') === 'true') ||
  (tag === 'text:section' && (get('text:display') === 'none' || get('text:is-hidden') === 'true'));

/** Returns the text of an OpenDocument file: one line per paragraph, with the labels of automatic numbering. */
export function loadOdt({ name, bytes }: DocumentFile): ReadText {
  const parts = unzipDocument(name, bytes, kind, (path) => /^(?:content|styles|META-INF\/manifest)\.xml$/.test(path));
  // the other parts are then not XML
  if (/<manifest:encryption-data\b/.test(parts.get('META-INF/manifest.xml') ?? ''))
    throw invalidDocument(name, 'is encrypted', 'Save it without a password.');
  const content = parts.get('content.xml');
  if (content === undefined) throw brokenDocument(name, kind);
  const styles = readOdtStyles();
  for (const part of ['styles.xml', 'content.xml']) readPart(name, kind, parts.get(part) ?? '<none/>', { ...styles, text() {} });
  const numbering = odtNumbering(styles);
  const lines = createTextLines();
  let hidden = 0;
  let paragraphs = 0;
  let changes = 0;
  readPart(name, kind, content, {
    open(tag, get) {
      if (tag === 'text:changed-region') changes++;
      if (hidden > 0 || skippedTags.has(tag) || isUnseen(tag, get) || styles.unseen.has(get('text:style-name') ?? '')) {
        hidden++;
        return;
      }
      numbering.open(tag, get);
      if (tag === 'text:p' || tag === 'text:h') {
        paragraphs++;
        lines.beginParagraph();
        lines.write(numbering.label(tag, get));
      } else if (tag === 'text:s') lines.write(' '.repeat(Math.min(maxBlanks, Math.max(1, Number(get('text:c') ?? 1) || 1))));
      else if (tag === 'text:tab') lines.write('\t');
      else if (tag === 'text:line-break') lines.write('\n');
      else if (tag === 'table:table-row') lines.beginRow();
    },
    close(tag) {
      if (hidden > 0) {
        hidden--;
        return;
      }
      numbering.close(tag);
      if (tag === 'text:p' || tag === 'text:h') {
        paragraphs--;
        lines.endParagraph();
      } else if (tag === 'table:table-cell') lines.endCell();
      else if (tag === 'table:table-row') lines.endRow();
    },
    text(text) {
      if (hidden === 0 && paragraphs > 0) lines.write(text.replace(/\s+/g, ' '));
    },
  });
  return { text: lines.done(), notices: changes > 0 ? [changesAccepted(String(changes))] : [] };
}
