import { decodeText } from '../decode-text.ts';
import { invalidDocument } from '../document-errors.ts';
import type { DocumentFile } from '../document-file.ts';
import type { ReadText } from '../read-text.ts';

const block =
  /^(?:p|div|h[1-6]|li|ul|ol|dl|dt|dd|br|hr|table|thead|tbody|tfoot|tr|section|article|header|footer|main|aside|nav|blockquote|pre|form|fieldset|address|figure|figcaption|title|caption|center|body|html)$/;
const skippedTags = /^(?:script|style|template|noscript|svg|math|iframe|object|select|textarea|head)$/;
/** Starts of files in other formats. */
const others = ['{\\rtf', '%PDF-', 'PK\u0003\u0004'];
const empty = /^(?:|br|hr|img|input|meta|link|area|base|col|embed|source|track|wbr)$/;
/** Length of a tag to check for hidden content. */
const maxTagChars = 4_000;
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  sect: '§',
  para: '¶',
  ldquo: '“',
  rdquo: '”',
  lsquo: '‘',
  rsquo: '’',
  laquo: '«',
  raquo: '»',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  bull: '•',
  middot: '·',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  deg: '°',
  times: '×',
  shy: '',
};

/**
 * Returns the text of an HTML file: a line per block, and table rows with tabs. Leaves out scripts, styles, comments and hidden content.
 */
export function loadHtml({ name, bytes }: DocumentFile): ReadText {
  const text = decode(bytes);
  if (text === undefined) throw invalidDocument(name, 'has an unsupported encoding', 'Save it as UTF-8.');
  if (others.some((start) => text.trimStart().startsWith(start)))
    throw invalidDocument(name, 'is not HTML', 'Rename it with the extension of its real format.');
  return { text: htmlText(text), notices: [] };
}

function decode(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 2_048));
  const charset = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,40})/i.exec(head)?.[1]?.toLowerCase();
  if (charset !== undefined && /^(?:iso-8859-1|windows-1252|latin1|us-ascii)$/.test(charset))
    return new TextDecoder('windows-1252').decode(bytes);
  return decodeText(bytes);
}

/** Takes time linear in the length: it reads each tag and each text once. */
function htmlText(html: string): string {
  const out: string[] = [];
  let at = 0;
  let inPre = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open < 0 ? html.length : open;
    if (end > at) out.push(textOf(html.slice(at, end), inPre > 0));
    if (open < 0) break;
    if (!/[/!?a-z]/i.test(html.charAt(open + 1))) {
      out.push('<');
      at = open + 1;
      continue;
    }
    at = endOfTag(html, open);
    const tag = /^<(\/?)([a-z][a-z0-9]{0,20})/i.exec(html.slice(open, open + 24));
    const name = tag?.[2]?.toLowerCase() ?? '';
    const isClose = tag?.[1] === '/';
    if (!isClose && !empty.test(name) && isUnseen(html.slice(open, Math.min(at, open + maxTagChars)))) at = endOfNested(html, name, at);
    else if (!isClose && skippedTags.test(name) && !/\/>$/.test(html.slice(at - 2, at))) at = endOfElement(html, name, at);
    else if (name === 'td' || name === 'th') out.push(isClose ? '\t' : '');
    else if (block.test(name) && !(isClose && /^(?:tr|li|dt|dd)$/.test(name))) out.push('\n');
    if (name === 'pre') inPre = Math.max(0, inPre + (isClose ? -1 : 1));
  }
  return out
    .join('')
    .split('\n')
    .map((line) => line.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function endOfTag(html: string, open: number): number {
  if (html.startsWith('<!--', open)) {
    const close = html.indexOf('-->', open + 4);
    return close < 0 ? html.length : close + 3;
  }
  const isTag = /[/a-z]/i.test(html.charAt(open + 1));
  for (let at = open + 1; at < html.length; at++) {
    const character = html.charAt(at);
    if (character === '>') return at + 1;
    if (!isTag || (character !== '"' && character !== "'") || !/=\s{0,8}$/.test(html.slice(Math.max(open, at - 9), at))) continue;
    const close = html.indexOf(character, at + 1);
    if (close < 0) return html.length;
    at = close;
  }
  return html.length;
}

/** Returns the end of an element that may contain others of the same name. */
function endOfNested(html: string, name: string, from: number): number {
  const tag = new RegExp(`<(/?)${name}(?=[\\s>/])`, 'gi');
  tag.lastIndex = from;
  let depth = 1;
  for (let found = tag.exec(html); found; found = tag.exec(html)) {
    depth += found[1] === '/' ? -1 : 1;
    const end = endOfTag(html, found.index);
    if (depth === 0) return end;
    tag.lastIndex = end;
  }
  return html.length;
}

const isUnseen = (tag: string): boolean =>
  /\s(?:hidden(?=[\s=>/])|style\s{0,8}=\s{0,8}["']?[^"']{0,1000}?(?:display\s{0,8}:\s{0,8}none|visibility\s{0,8}:\s{0,8}hidden|font-size\s{0,8}:\s{0,8}0(?![.\d])))/i.test(
    tag,
  );

function endOfElement(html: string, name: string, from: number): number {
  // the end tag of a head is optional
  const close = new RegExp(name === 'head' ? '</head[\\s>/]|<body(?=[\\s>/])' : `</${name}[\\s>/]`, 'gi');
  close.lastIndex = from;
  const found = close.exec(html);
  return found ? (found[0].startsWith('</') ? endOfTag(html, found.index) : found.index) : html.length;
}

/** Collapses blanks, and decodes `&sect;`, `&#8220;` and `&#x201c;`. */
function textOf(raw: string, isPre: boolean): string {
  const plain = raw.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));?/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '';
  });
  return isPre ? plain : plain.replace(/[\s\u00a0]+/g, ' ');
}
