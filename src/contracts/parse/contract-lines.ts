/** One line of a contract, prepared for matching. */
export interface ContractLine {
  /** Range of the line in the text, without its line break. */
  readonly start: number;
  readonly end: number;
  /** Position of the first word, after `#`, `**`, `-`, `>` and blanks. */
  readonly coreStart: number;
  /** The line's words, folded (see `foldText`); at most 400 characters. */
  readonly core: string;
  /** Number of leading `#`. */
  readonly hashes: number;
  readonly bold: boolean;
  /** True for a line that begins in the middle of another: some texts from PDF lose the break above a heading. */
  readonly inline: boolean;
  /** True for a list entry or a quotation. */
  readonly listed: boolean;
  /** `page`: a page number. `matter`: the front matter between two `---`. `contents`: a line that ends in dots and a page number. */
  readonly kind: 'text' | 'blank' | 'page' | 'matter' | 'contents';
}

const maxCoreChars = 400;

const folds: ReadonlyMap<string, string> = new Map([
  ...[...'第條章節編項號附則別紙表削除'].map((from, i) => [from, [...'제조장절편항호부칙별지표삭제'][i] ?? from] as const),
  ...[...'ㆍ‧・･•∙'].map((from) => [from, '·'] as const),
  ...[...'〈《〔'].map((from) => [from, from === '〔' ? '[' : '<'] as const),
  ...[...'〉》〕'].map((from) => [from, from === '〕' ? ']' : '>'] as const),
  ['∼', '~'],
  ['〜', '~'],
]);

const folded =
  /[\uFF01-\uFF5E\u00A0\u1680\u2000-\u200D\u202F\u205F\u3000\uFEFF\u00AD\f\v第條章節編項號附則別紙表削除ㆍ‧・･•∙〈《〔〉》〕∼〜]|\\(?=[[\]().*_#<>~-])|~(?=~)|(?<=~)~/g;

/**
 * Normalizes the spelling, for matching only: full-width characters, unusual blanks, brackets and dots become plain ones. The length stays
 * the same.
 */
export const foldText = (text: string): string =>
  text.replace(folded, (character) => {
    const code = character.charCodeAt(0);
    if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
    // struck-through text, like bold text
    if (character === '~') return '*';
    return folds.get(character) ?? ' ';
  });

const page = /^(?:[-–—]\s{0,3}\d{1,4}\s{0,3}[-–—]|\d{1,4}\s{0,3}\/\s{0,3}\d{1,4}|(?:page\s{1,3})?\d{1,4}(?:\s{1,3}of\s{1,3}\d{1,4})?)$/i;

/** Splits a folded text into lines, and splits a line at the headings inside it. */
export function contractLines(text: string, cuts: readonly number[] = []): readonly ContractLine[] {
  const lines: ContractLine[] = [];
  let cut = 0;
  const matterEnd = endOfMatter(text);
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    let from = start;
    if (start >= matterEnd) {
      const within = [...inlineHeadings(text, start, end)];
      for (; (cuts[cut] ?? end) < end; cut++) if ((cuts[cut] ?? 0) > start) within.push(cuts[cut] ?? 0);
      for (const at of within.sort((a, b) => a - b)) {
        if (at === from) continue;
        lines.push(lineAt(text, from, at, false, from > start));
        from = at;
      }
    }
    lines.push(lineAt(text, from, end, start < matterEnd, from > start));
    start = end + 1;
  }
  return lines;
}

const inlineLabel = /(?<=[.)\]」][ \t]{1,4})제\s{0,2}\d{1,4}\s{0,2}조(?:\s?의\s?\d{1,3})?\s{0,3}[([【][^()[\]【】\n]{1,60}[)\]】]/g;

const firstOfAddenda =
  /^[ \t#*]{0,10}부[ \t]{0,6}칙[ \t]{1,6}(?=제[ \t]?1[ \t]?조[ \t]{0,3}[([【][^()[\]【】\n]{1,60}[)\]】](?:[ \t]{1,4}(?!제[ \t]?\d|및|또는)|[ \t]{0,4}$))/;

/** Finds `제5조 (목적)` inside a line: after a sentence, at the end of a line after a bracket, or after 부칙. */
function* inlineHeadings(text: string, start: number, end: number): Generator<number> {
  const line = text.slice(start, end);
  if (!line.includes('조')) return;
  const first = firstOfAddenda.exec(line);
  if (first) yield start + first[0].length;
  for (const { 0: all, index } of line.matchAll(inlineLabel)) {
    const isBehindSentence = line
      .slice(Math.max(0, index - 5), index)
      .trimEnd()
      .endsWith('.');
    if (isBehindSentence || line.slice(index + all.length, index + all.length + 40).trim() === '') yield start + index;
  }
}

function lineAt(text: string, start: number, end: number, matter: boolean, inline: boolean): ContractLine {
  let at = start;
  let hashes = 0;
  let bold = false;
  let listed = false;
  for (; at < end; at++) {
    const character = text.charAt(at);
    if (character === '#') hashes++;
    else if (character === '>') listed = true;
    else if ((character === '*' || character === '_') && text.charAt(at + 1) === character) {
      bold = true;
      at++;
    } else if ('-*+·◦○●※☞'.includes(character)) listed = true;
    else if (!' \t_■□◆◇▣▶▷◎'.includes(character)) break;
  }
  const { core, leader } = withoutLeader(text.slice(at, Math.min(end, at + maxCoreChars)), end - at > maxCoreChars);
  const base = { start, end, coreStart: at, core, hashes, bold, listed, inline };
  if (matter) return { ...base, kind: 'matter' };
  if (at >= end) return { ...base, kind: listed || hashes > 0 || bold ? 'text' : 'blank' };
  if (leader) return { ...base, kind: 'contents' };
  return { ...base, kind: end - at <= 40 && page.test(text.slice(start, end).trim()) ? 'page' : 'text' };
}

/** Removes trailing Markdown marks, and the leader to a page number in a table of contents. */
function withoutLeader(raw: string, isCut: boolean): { core: string; leader: boolean } {
  if (isCut) return { core: raw, leader: false };
  const core = cutEnd(raw, ' \t*_#');
  const words = cutEnd(core, '0123456789');
  const before = cutEnd(words, ' \t.·…‥⋯_-');
  const gap = words.slice(before.length);
  if (before === '' || words.length === core.length) return { core, leader: false };
  const dots = [...gap].filter((one) => one !== ' ' && one !== '\t').length;
  if (dots >= 3 || (dots > 0 && /[…‥⋯]/.test(gap))) return { core: before, leader: true };
  return { core: /\t| {2}/.test(gap) && dots === 0 ? before : core, leader: false };
}

function cutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

const matterLine = /^(?:[^\s:#][^:\n]{0,60}:|\s|#|- |$)/;

/** Returns the end of the front matter between two `---`, or 0 if there is none. */
function endOfMatter(text: string): number {
  const first = text.indexOf('\n');
  if (first < 0 || text.slice(0, first).trim() !== '---') return 0;
  for (let start = first + 1; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + 80)).trimEnd();
    if (line === '---') return end;
    if (!matterLine.test(line)) return 0;
    start = end + 1;
  }
  return 0;
}
