import { SaxesParser } from 'saxes';

/** A tag of an XML text, with its position. */
export interface XmlTag {
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** Returns the value of an attribute, with entities and references resolved. */
  readonly get: (attribute: string) => string | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * Calls `visit` for each tag of an XML text, and `text` for the texts between them, in order. CDATA sections are texts. Skips comments and
 * instructions. Takes time linear in the length.
 *
 * @throws {XmlError} for text that is not well-formed or nested too deeply. This includes entities other than XML's own five, because none
 * is ever defined here.
 */
export function visitXmlTags(xml: string, visit: (tag: XmlTag) => void, text: (text: string) => void = () => {}): void {
  const parser = new SaxesParser();
  const show = (name: string, kind: XmlTag['kind'], attributes: Readonly<Record<string, string>> = {}): void => {
    const end = parser.position;
    visit({ name, kind, get: (attribute) => attributes[attribute], start: kind === 'close' ? xml.lastIndexOf('<', end - 1) : start, end });
  };
  let start = 0;
  parser.on('error', ({ message }) => {
    throw new XmlError(message);
  });
  // a name cannot contain "<", and an attribute value with it is an error
  parser.on('opentagstart', () => {
    start = xml.lastIndexOf('<', parser.position - 1);
  });
  let depth = 0;
  parser.on('opentag', ({ name, isSelfClosing, attributes }) => {
    if (++depth > maxDepth) throw new XmlError(`more than ${maxDepth} nested elements`);
    show(name, isSelfClosing ? 'empty' : 'open', attributes);
  });
  parser.on('closetag', ({ name, isSelfClosing }) => {
    depth--;
    if (!isSelfClosing) show(name, 'close');
  });
  parser.on('text', text);
  parser.on('cdata', text);
  parser.write(xml).close();
}

/** No document nests more elements; the data of each open one would fill the memory. */
const maxDepth = 50_000;

/** The error for a text that is not XML. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

export const escapeXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Callbacks for an XML text, called in text order. */
export interface XmlEvents {
  open(name: string, get: (attribute: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
}

/** Calls back for elements and texts. Throws like `visitXmlTags`. */
export function visitXml(xml: string, { open, close, text }: XmlEvents): void {
  const visit = ({ name, kind, get }: XmlTag): void => {
    if (kind !== 'close') open(name, get);
    if (kind !== 'open') close(name);
  };
  visitXmlTags(xml, visit, text);
}
