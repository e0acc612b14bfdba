import { SaxesParser } from 'saxes';

/** A tag of an XML text, and where it stands there. */
export interface XmlTag {
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** The value of an attribute, its entities and references replaced. */
  readonly get: (attribute: string) => string | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * Shows each tag of an XML text in its order; comments, instructions and quoted text are passed over. Linear in its length.
 *
 * @throws {XmlError} when it is not well-formed: an entity that is not one of XML's own five, too, for none is ever defined here,
 *   and elements that are too deep within each other.
 */
export function visitXmlTags(xml: string, visit: (tag: XmlTag) => void): void {
  const parser = new SaxesParser();
  const show = (name: string, kind: XmlTag['kind'], attributes: Readonly<Record<string, string>> = {}): void => {
    const end = parser.position;
    visit({ name, kind, get: (attribute) => attributes[attribute], start: kind === 'close' ? xml.lastIndexOf('<', end - 1) : start, end });
  };
  let start = 0;
  parser.on('error', ({ message }) => {
    throw new XmlError(message);
  });
  // no "<" can stand in a name; in the value of an attribute, it is an error
  parser.on('opentagstart', () => {
    start = xml.lastIndexOf('<', parser.position - 1);
  });
  const depth = depthGuard();
  parser.on('opentag', ({ name, isSelfClosing, attributes }) => {
    depth.open();
    show(name, isSelfClosing ? 'empty' : 'open', attributes);
  });
  parser.on('closetag', ({ name, isSelfClosing }) => {
    depth.close();
    if (!isSelfClosing) show(name, 'close');
  });
  parser.write(xml).close();
}

/** No document has more elements within each other; what is kept of each open one would fill the memory. */
const maxDepth = 50_000;

/** Counts the open elements of a text. */
function depthGuard() {
  let depth = 0;
  return {
    open() {
      depth++;
      if (depth > maxDepth) throw new XmlError(`more than ${maxDepth} elements within each other`);
    },
    close() {
      depth--;
    },
  };
}

/** What is wrong with a text that is not XML. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

export const escapeXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** What is told of an XML text, in its order. */
export interface XmlEvents {
  open(name: string, get: (attribute: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
}

/** Shows elements and texts; CDATA sections are texts. Throws as `visitXmlTags`. */
export function visitXml(xml: string, { open, close, text }: XmlEvents): void {
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => {
    throw new XmlError(message);
  });
  const depth = depthGuard();
  parser.on('opentag', ({ name, attributes }) => {
    depth.open();
    open(name, (attribute) => attributes[attribute]);
  });
  parser.on('closetag', ({ name }) => {
    depth.close();
    close(name);
  });
  parser.on('text', text);
  parser.on('cdata', text);
  parser.write(xml).close();
}
