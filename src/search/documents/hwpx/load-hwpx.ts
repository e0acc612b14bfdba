import type { DocumentFile } from '../document-file.ts';
import { changesAccepted, type ReadText } from '../read-text.ts';
import { createTextLines, type TextLines } from '../text-lines.ts';
import { brokenDocument, readPart, unzipDocument } from '../unzip-document.ts';
import { type HwpxNumbering, hwpxNumbering, readHwpxHeader } from './hwpx-numbering.ts';

const kind = 'a Hangul document (.hwpx)';
const header = /^Contents\/header\.xml$/i;
const section = /^Contents\/section(\d+)\.xml$/i;
/** Comments, page headers and footers, and replacements of objects. */
const skippedTags = new Set(['hiddenComment', 'header', 'footer', 'shapeComment', 'caption', 'secPr', 'linesegarray', 'memogroup']);

/** Returns the text of a Hangul document: one line per paragraph, with the labels of automatic numbering. */
export function loadHwpx({ name, bytes }: DocumentFile): ReadText {
  const parts = unzipDocument(name, bytes, kind, (path) => section.test(path) || header.test(path));
  const sections = [...parts].filter(([path]) => section.test(path));
  if (sections.length === 0) throw brokenDocument(name, kind);
  const numberOf = (path: string): number => Number(section.exec(path)?.[1]);
  const found = readHwpxHeader();
  for (const [path, xml] of parts) if (header.test(path)) readPart(name, kind, xml, found);
  const numbering = hwpxNumbering(found);
  const lines = createTextLines();
  let changes = 0;
  for (const [, xml] of sections.sort(([a], [b]) => numberOf(a) - numberOf(b))) changes += readSection(name, xml, { lines, numbering });
  return { text: lines.done(), notices: changes > 0 ? [changesAccepted(String(changes))] : [] };
}

/** Reads one section, and returns its number of tracked changes. */
function readSection(
  name: string,
  xml: string,
  { lines, numbering }: { readonly lines: TextLines; readonly numbering: HwpxNumbering },
): number {
  let hidden = 0;
  let texts = 0;
  let deleted = 0;
  let changes = 0;
  // the section's properties are in its first paragraph, which may already have a number
  numbering.beginSection(/<(?:\w{1,20}:)?secPr\b[^>]{0,2000}?\boutlineShapeIDRef="(\d{1,9})"/.exec(xml)?.[1]);
  readPart(name, kind, xml, {
    open(tag, get) {
      const local = tag.slice(tag.indexOf(':') + 1);
      if (hidden > 0 || skippedTags.has(local)) hidden++;
      else if (local === 'p') {
        lines.beginParagraph();
        lines.write(numbering.label(get('paraPrIDRef')));
      } else if (local === 't') texts++;
      else if (local === 'tab') lines.write('\t');
      else if (local === 'lineBreak') lines.write('\n');
      else if (local === 'nbSpace' || local === 'fwSpace') lines.write(' ');
      else if (local === 'tr') lines.beginRow();
      else if (local === 'deleteBegin' || local === 'insertBegin') {
        changes++;
        if (local === 'deleteBegin') deleted++;
      } else if (local === 'deleteEnd') deleted = Math.max(0, deleted - 1);
    },
    close(tag) {
      const local = tag.slice(tag.indexOf(':') + 1);
      if (hidden > 0) hidden--;
      else if (local === 'p') lines.endParagraph();
      else if (local === 't') texts--;
      else if (local === 'tc') lines.endCell();
      else if (local === 'tr') lines.endRow();
    },
    text(text) {
      if (hidden === 0 && texts > 0 && deleted === 0) lines.write(text);
    },
  });
  return changes;
}
