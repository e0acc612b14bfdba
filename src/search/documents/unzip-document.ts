import type { WorkflowError } from '../../core/errors/errors.ts';
import { documentTooLarge, invalidDocument } from './document-errors.ts';
import { visitXml, XmlError, type XmlEvents } from './docx/xml-tags.ts';
import { readZip } from './docx/zip.ts';

const maxXmlBytes = 50_000_000;

/** Returns the wanted XML parts of a document in a ZIP archive. `kind` is the expected type: `an OpenDocument text`. */
export function unzipDocument(
  name: string,
  bytes: Uint8Array,
  kind: string,
  isWanted: (path: string) => boolean,
): ReadonlyMap<string, string> {
  const files = readZip(bytes, { maxBytes: maxXmlBytes, isWanted });
  if (!('problem' in files)) return new Map([...files].map(([path, file]) => [path, xmlOf(name, file)]));
  if (files.problem === 'encrypted') throw invalidDocument(name, 'is encrypted', 'Save it without a password.');
  if (files.problem === 'large') throw documentTooLarge(name, `unpacks to more than ${maxXmlBytes} bytes of XML`, 'Split it.');
  throw brokenDocument(name, kind);
}

function xmlOf(name: string, file: Uint8Array): string {
  const isUtf16 = (file[0] === 0xff && file[1] === 0xfe) || (file[0] === 0xfe && file[1] === 0xff);
  const text = new TextDecoder(isUtf16 ? (file[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(file);
  // no program writes one, and its entities could expand without limit
  if (/<!DOCTYPE/i.test(text))
    throw invalidDocument(name, 'has a document type definition', 'Save it again with the program that created it.');
  return text;
}

/** Parses the XML of a part; rejects XML that is not well-formed. */
export function readPart(name: string, kind: string, xml: string, events: XmlEvents): void {
  try {
    visitXml(xml, events);
  } catch (cause) {
    throw cause instanceof XmlError ? brokenDocument(name, kind, cause) : cause;
  }
}

export const brokenDocument = (name: string, kind: string, cause?: unknown): WorkflowError =>
  invalidDocument(name, `is not ${kind}, or is damaged`, 'Save it again with the program that created it.', cause);
