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
 * Calls `visit` for each tag of an XML text in order. Skips comments, instructions and quoted text. Takes time linear in the length.
 *
 * @throws {XmlError} for text that is not well-formed or nested too deeply. This includes entities other than XML's own five, because none
 * is ever defined here.
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
  // a name cannot contain "<", and an attribute value with it is an error
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

/** No document nests more elements; the data of each open one would fill the memory. */
const maxDepth = 50_000;

/** Counts the open elements of a text, up to `maxDepth`. */
function depthGuard() {
  let depth = 0;
  return {
    open() {
      depth++;
      if (depth > maxDepth) throw new XmlError(`more than ${maxDepth} nested elements`);
    },
    close() {
      depth--;
    },
  };
}

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

/** Calls back for elements and texts; CDATA sections are texts. Throws like `visitXmlTags`. */
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
