/** A tag of an XML text, and where it stands there. */
export interface XmlTag {
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** The value of an attribute, as written. */
  readonly get: (attribute: string) => string | undefined;
  readonly start: number;
  readonly end: number;
}

/** The tags of an XML text in their order; comments, instructions and quoted text are passed over. Linear in its length. */
export function* xmlTags(xml: string): Generator<XmlTag> {
  for (let start = xml.indexOf('<'); start >= 0; ) {
    const end = endOfMarkup(xml, start);
    if (end === undefined) return;
    const first = xml[start + 1];
    if (first !== '!' && first !== '?') yield tagAt(xml, start, end);
    start = xml.indexOf('<', end);
  }
}

function endOfMarkup(xml: string, start: number): number | undefined {
  for (const [open, close] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
  ] as const) {
    if (xml.startsWith(open, start)) return after(xml, close, start + open.length);
  }
  let at = start + 1;
  for (; at < xml.length && xml[at] !== '>'; at++) {
    const quote = xml[at];
    if (quote === '"' || quote === "'") {
      at = xml.indexOf(quote, at + 1);
      if (at < 0) return undefined;
    }
  }
  return at < xml.length ? at + 1 : undefined;
}

function after(xml: string, text: string, from: number): number | undefined {
  const at = xml.indexOf(text, from);
  return at < 0 ? undefined : at + text.length;
}

function tagAt(xml: string, start: number, end: number): XmlTag {
  const isClose = xml[start + 1] === '/';
  const kind = isClose ? 'close' : xml[end - 2] === '/' ? 'empty' : 'open';
  let nameEnd = start + (isClose ? 2 : 1);
  const nameStart = nameEnd;
  while (nameEnd < end && !' \t\r\n/>'.includes(xml[nameEnd] ?? '>')) nameEnd++;
  return {
    name: xml.slice(nameStart, nameEnd),
    kind,
    start,
    end,
    get: (attribute) => attributesIn(xml.slice(nameEnd, end)).get(attribute),
  };
}

function attributesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(/(?<=\s)([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    found.set(name, unescapeXml(double ?? single ?? ''));
  }
  return found;
}

const unescapeXml = (text: string): string =>
  text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (whole, name?: string, decimal?: string, hex?: string) => {
    if (name) return { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }[name.toLowerCase()] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

export const escapeXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
