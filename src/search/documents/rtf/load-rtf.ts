import { invalidDocument } from '../document-errors.ts';
import type { DocumentFile } from '../document-file.ts';
import { changesAccepted, type ReadText } from '../read-text.ts';

/** Groups without text. */
const skippedGroups = new Set(
  'fonttbl colortbl stylesheet info pict object objdata header headerl headerr headerf footer footerl footerr footerf listtable listoverridetable revtbl rsidtbl generator themedata datastore fldinst xmlnstbl mmathPr latentstyles pntxta pntxtb bkmkstart bkmkend atnid atnauthor annotation'.split(
    ' ',
  ),
);
const characters: Readonly<Record<string, string>> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  tab: '\t',
  cell: '\t',
  nestcell: '\t',
  nestrow: '\n',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
};
const maxDepth = 10_000;
const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;

interface Group {
  /** True for a group without text. */
  hidden: boolean;
  /** True for hidden text. */
  unseen: boolean;
  deleted: boolean;
  /** Number of characters after a `\u` for readers that do not support it. */
  skip: number;
}

/**
 * Returns the text of an RTF file: one line per paragraph, and table rows with tabs. Leaves out pictures, objects, binary data and hidden
 * text.
 */
export function loadRtf({ name, bytes }: DocumentFile): ReadText {
  const source = new TextDecoder('latin1').decode(bytes);
  if (!source.startsWith('{\\rtf')) throw invalidDocument(name, 'is not an RTF file', 'Save it again as RTF.');
  const out: string[] = [];
  const groups: Group[] = [];
  let group: Group = { hidden: false, unseen: false, deleted: false, skip: 1 };
  let decoder = new TextDecoder('windows-1252');
  let pending: number[] = [];
  let toSkip = 0;
  let changes = 0;
  let isStar = false;
  const flush = (): void => {
    if (pending.length > 0) out.push(decoder.decode(Uint8Array.from(pending)));
    pending = [];
  };
  const isShown = (): boolean => !group.hidden && !group.unseen && !group.deleted;
  const write = (text: string): void => {
    flush();
    if (isShown()) out.push(text);
  };
  const writeAll = (text: string): void => {
    const left = text.slice(toSkip);
    toSkip = Math.max(0, toSkip - text.length);
    if (left !== '') write(left);
  };
  token.lastIndex = 0;
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, word, number, hex, symbol, brace, plain] = match;
    if (brace === '{') {
      if (groups.length >= maxDepth) throw invalidDocument(name, `has more than ${maxDepth} nested groups`, 'Save it again as RTF.');
      groups.push(group);
      group = { ...group };
    } else if (brace === '}') {
      flush();
      const outer = groups.pop();
      if (!outer) throw invalidDocument(name, 'is not an RTF file, or is damaged', 'Save it again as RTF.');
      group = outer;
      if (groups.length === 0) break;
    } else if (hex !== undefined) {
      if (toSkip > 0) toSkip--;
      else if (isShown()) pending.push(Number.parseInt(hex, 16));
    } else if (symbol !== undefined) {
      if (symbol === '*') isStar = true;
      else if (symbol === '~') writeAll(' ');
      else if ('\\{}'.includes(symbol)) writeAll(symbol);
      else if (symbol === '\n' || symbol === '\r') write('\n');
      continue;
    } else if (word === 'bin') token.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word === 'ansicpg') decoder = decoderOf(number);
    else if (word === 'uc') group.skip = Math.min(10, Math.max(0, Number(number ?? 1)));
    else if (word === 'u') {
      const code = Number(number ?? 0);
      write(String.fromCharCode(code < 0 ? code + 65_536 : code));
      toSkip = group.skip;
    } else if (word === 'v') group.unseen = number !== '0';
    else if (word === 'plain') group.unseen = false;
    else if (word === 'deleted' || word === 'revised') {
      if (number !== '0') changes++;
      if (word === 'deleted') group.deleted = number !== '0';
    } else if (word !== undefined) {
      if (isStar || skippedGroups.has(word)) group.hidden = true;
      else if (Object.hasOwn(characters, word)) write(characters[word] ?? '');
    } else if (plain !== undefined) writeAll(plain);
    isStar = false;
  }
  flush();
  if (groups.length > 0) throw invalidDocument(name, 'ends inside a group', 'Save it again as RTF.');
  const text = out.join('').replace(/(?<!\t)\t+\n/g, '\n');
  return { text, notices: changes > 0 ? [changesAccepted(String(changes))] : [] };
}

function decoderOf(codePage: string | undefined): TextDecoder {
  if (codePage === '949') return new TextDecoder('euc-kr');
  if (codePage === '932') return new TextDecoder('shift_jis');
  if (codePage === '936') return new TextDecoder('gbk');
  if (codePage === '65001') return new TextDecoder('utf-8');
  return new TextDecoder(codePage !== undefined && /^125[0-8]$/.test(codePage) ? `windows-${codePage}` : 'windows-1252');
}
