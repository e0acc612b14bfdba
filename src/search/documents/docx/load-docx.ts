import { invalidDocument } from '../document-errors.ts';
import type { DocumentFile } from '../document-file.ts';
import { changesAccepted, type ReadText } from '../read-text.ts';
import { brokenDocument, unzipDocument } from '../unzip-document.ts';
import { prepareWordXml } from './prepare-word-xml.ts';
import { wordNumbering } from './word-numbering.ts';
import { readWordStyles } from './word-styles.ts';
import { wordText } from './word-text.ts';
import { visitXmlTags, XmlError } from './xml-tags.ts';
import { writeZip } from './zip.ts';

const kind = 'a Word file';

/** Returns the text of a Word file: one line per paragraph, with the labels of automatic numbering. */
export async function loadDocx({ name, bytes, signal }: DocumentFile): Promise<ReadText> {
  const xml = withLabels(name, partsOf(name, bytes));
  const archive = writeZip(new Map([...xml].map(([path, text]) => [path, new TextEncoder().encode(text)])));
  const { default: mammoth } = await import('mammoth');
  signal?.throwIfAborted();
  let text: string | undefined;
  try {
    await mammoth.convertToHtml(
      { buffer: Buffer.from(archive) },
      {
        externalFileAccess: false,
        includeEmbeddedStyleMap: false,
        transformDocument(document: unknown) {
          text = wordText(document);
          return { type: 'document', children: [], notes: { resolve: () => undefined }, comments: [] };
        },
      },
    );
  } catch (cause) {
    throw brokenDocument(name, kind, cause);
  }
  if (text === undefined) throw brokenDocument(name, kind);
  const changes = changesIn(xml);
  return { text, notices: changes > 0 ? [changesAccepted(String(changes))] : [] };
}

/** Returns the number of insertions and deletions that are still pending. */
function changesIn(xml: ReadonlyMap<string, string>): number {
  const main = xml.get(mainPart(xml)) ?? '';
  return main.match(/<w:(?:ins|del|moveFrom|moveTo) /g)?.length ?? 0;
}

function partsOf(name: string, bytes: Uint8Array): ReadonlyMap<string, string> {
  // an encrypted .docx is not a ZIP, but has the old format of .doc
  if (Buffer.from(bytes.subarray(0, 4)).toString('hex') === 'd0cf11e0') {
    throw invalidDocument(name, 'is encrypted or a .doc file', 'Save it as .docx without a password.');
  }
  return unzipDocument(name, bytes, kind, (path) => /\.(?:xml|rels)$/i.test(path) && !/^customXml\//i.test(path));
}

/** Returns the parts, with the labels of automatic numbering in the main part. Every part must be well-formed, as Word requires. */
function withLabels(name: string, xml: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  try {
    const mainPath = mainPart(xml);
    const main = xml.get(mainPath);
    if (main === undefined) throw brokenDocument(name, kind);
    const folder = mainPath.slice(0, mainPath.lastIndexOf('/') + 1);
    const styleOf = readWordStyles(xml.get(`${folder}styles.xml`) ?? noXml);
    const labelOf = wordNumbering(xml.get(`${folder}numbering.xml`) ?? noXml, styleOf);
    const prepared = new Map([[mainPath, prepareWordXml(main, { labelOf, styleOf })]]);
    for (const path of ['footnotes.xml', 'endnotes.xml'].map((file) => `${folder}${file}`)) {
      const notes = xml.get(path);
      if (notes !== undefined) prepared.set(path, prepareWordXml(notes, { labelOf: () => '', styleOf }));
    }
    // mammoth skips unreadable content of a part, so the text would be incomplete
    for (const [path, text] of xml) if (!prepared.has(path)) visitXmlTags(text, () => {});
    return new Map([...xml, ...prepared]);
  } catch (cause) {
    throw cause instanceof XmlError ? brokenDocument(name, kind, cause) : cause;
  }
}

/** Placeholder for a missing part. */
const noXml = '<none/>';

/** Returns the path of the main part; almost always `word/document.xml`. */
function mainPart(xml: ReadonlyMap<string, string>): string {
  const targets: string[] = [];
  visitXmlTags(xml.get('_rels/.rels') ?? noXml, ({ name, get }) => {
    const target = get('Target')?.replace(/^\//, '');
    if (name === 'Relationship' && get('Type')?.endsWith('/officeDocument') && target !== undefined && xml.has(target))
      targets.push(target);
  });
  return targets[0] ?? 'word/document.xml';
}
