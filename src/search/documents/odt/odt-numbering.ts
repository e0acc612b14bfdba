import { wholeNumber } from '../docx/word-values.ts';
import type { XmlEvents } from '../docx/xml-tags.ts';
import { printListNumber } from '../list-number.ts';

type Get = Parameters<XmlEvents['open']>[1];

/** Reads the elements of a text in order, and returns the printed labels of its paragraphs. */
export interface OdtNumbering {
  readonly open: XmlEvents['open'];
  close(tag: string): void;
  /** Returns the label of the paragraph or heading just opened; empty for one without. */
  label(tag: string, get: Get): string;
}

interface Level {
  readonly isBullet: boolean;
  readonly format: string;
  /** Label such as `제%1%조`: `%1%` is the number of the first level. */
  readonly text: string;
  readonly start: number;
  isFollowed: boolean;
}

type Levels = Map<number, Level>;

/** Numbering in the styles. */
interface Styles {
  readonly lists: Map<string, Levels>;
  readonly outline: Levels;
  /** Paragraph styles: the list that each names, and its parent style. */
  readonly paragraphs: Map<string, { readonly list: string | undefined; readonly parent: string | undefined }>;
  /** Styles of hidden text. */
  readonly unseen: Set<string>;
}

interface OpenList {
  readonly style: string | undefined;
  readonly counts: number[];
  item: { isNumbered: boolean; style: string | undefined; start: number | undefined } | undefined;
}

const maxDepth = 10;
/** Longer than any label. */
const maxTextChars = 100;

/** Creates the numbering of a text with these styles: for its lists, including nested and continued ones, and for its headings. */
export function odtNumbering(styles: Styles): OdtNumbering {
  const open: OpenList[] = [];
  const countsById = new Map<string, number[]>();
  const countsByStyle = new Map<string, number[]>();
  const outlineCounts: number[] = [];

  const openList = (get: Get): void => {
    const above = open.at(-1);
    const style = get('text:style-name') ?? above?.item?.style ?? above?.style;
    const id = get('xml:id');
    const continued = get('text:continue-list');
    const before =
      continued !== undefined
        ? countsById.get(continued)
        : get('text:continue-numbering') === 'true'
          ? countsByStyle.get(style ?? '')
          : undefined;
    const counts = above?.counts ?? before ?? [];
    if (!above) countsByStyle.set(style ?? '', counts);
    if (id !== undefined) countsById.set(id, counts);
    open.push({ style, counts, item: undefined });
  };

  return {
    open(tag, get) {
      const list = open.at(-1);
      if (tag === 'text:list') openList(get);
      else if (tag === 'text:list-item' && list)
        list.item = { isNumbered: false, style: get('text:style-override'), start: wholeNumber(get('text:start-value')) };
      else if (tag === 'text:list-header' && list) list.item = { isNumbered: true, style: undefined, start: undefined };
    },
    close(tag) {
      const list = open.at(-1);
      if (tag === 'text:list') open.pop();
      else if ((tag === 'text:list-item' || tag === 'text:list-header') && list) list.item = undefined;
    },
    label(tag, get) {
      const list = open.at(-1);
      if (list) {
        const { item } = list;
        if (!item || item.isNumbered || open.length > maxDepth) return '';
        item.isNumbered = true;
        const levels = styles.lists.get(item.style ?? list.style ?? listOf(styles, get('text:style-name')) ?? '');
        return levels ? next(levels, open.length, list.counts, item.start) : '';
      }
      const level = wholeNumber(get('text:outline-level')) ?? 1;
      if (tag !== 'text:h' || level < 1 || level > maxDepth || get('text:is-list-header') === 'true') return '';
      const restart = get('text:restart-numbering') === 'true' ? (wholeNumber(get('text:start-value')) ?? 1) : undefined;
      return next(styles.outline, level, outlineCounts, restart);
    },
  };
}

/** Advances the count of a level, and returns its label. */
function next(levels: Levels, depth: number, counts: number[], restart: number | undefined): string {
  const own = levels.get(depth);
  if (own?.isBullet) return '- ';
  const before = counts[depth];
  counts[depth] = restart ?? (before === undefined ? (own?.start ?? 1) : before + 1);
  counts.length = depth + 1;
  if (!own) return '';
  const label = own.text.replace(/%(\d{1,2})%/g, (_, digits: string) => {
    const at = Number(digits);
    const level = levels.get(at);
    return level && level.format !== '' ? printListNumber(counts[at] ?? level.start, wordFormat(level.format)) : '';
  });
  return label === '' || !own.isFollowed ? label : `${label} `;
}

/** Returns the list that a paragraph's style, or one of its parents, names. */
function listOf({ paragraphs }: Styles, name: string | undefined): string | undefined {
  const seen = new Set<string>();
  for (let style = name; style !== undefined && !seen.has(style); style = paragraphs.get(style)?.parent) {
    seen.add(style);
    const list = paragraphs.get(style)?.list;
    if (list !== undefined) return list;
  }
  return undefined;
}

/** Collects the numbering in `content.xml` and `styles.xml`. */
export function readOdtStyles(): Styles & Pick<XmlEvents, 'open' | 'close'> {
  const styles: Styles = { lists: new Map(), outline: new Map(), paragraphs: new Map(), unseen: new Set() };
  let style: string | undefined;
  let levels: Levels | undefined;
  let level: Level | undefined;
  return {
    ...styles,
    open(tag, get) {
      if (tag === 'text:list-style') {
        levels = new Map();
        styles.lists.set(get('style:name') ?? '', levels);
      } else if (tag === 'style:style') style = get('style:name');
      else if (tag === 'style:text-properties' && style !== undefined && get('text:display') === 'none') styles.unseen.add(style);
      if (tag === 'text:outline-style') levels = styles.outline;
      else if (tag === 'style:style' && get('style:family') === 'paragraph')
        styles.paragraphs.set(get('style:name') ?? '', { list: get('style:list-style-name'), parent: get('style:parent-style-name') });
      else if (/^text:(?:list-level-style-(?:number|bullet|image)|outline-level-style)$/.test(tag)) {
        const depth = wholeNumber(get('text:level')) ?? 1;
        level = depth <= maxDepth ? levelOf(tag, depth, get) : undefined;
        if (level) levels?.set(depth, level);
      } else if (tag === 'style:list-level-label-alignment' && level) level.isFollowed = get('text:label-followed-by') !== 'nothing';
    },
    close(tag) {
      if (tag === 'style:style') style = undefined;
      if (tag === 'text:list-style' || tag === 'text:outline-style') levels = undefined;
      if (tag.endsWith('-level-style') || tag.includes('-level-style-')) level = undefined;
    },
  };
}

function levelOf(tag: string, depth: number, get: Get): Level {
  const isBullet = tag.endsWith('bullet') || tag.endsWith('image');
  const format = get('style:num-format') ?? '';
  const shown = Math.min(Math.max(wholeNumber(get('text:display-levels')) ?? 1, 1), depth);
  const numbers = Array.from({ length: shown }, (_, i) => `%${depth - shown + 1 + i}%`).join('.');
  const written = get('style:num-list-format') ?? get('loext:num-list-format');
  const text = written ?? (format === '' ? '' : `${get('style:num-prefix') ?? ''}${numbers}${get('style:num-suffix') ?? ''}`);
  return { isBullet, format, text: text.slice(0, maxTextChars), start: wholeNumber(get('text:start-value')) ?? 1, isFollowed: true };
}

/** Formats by their first numbers: `①, ②, ③, ...` */
const formats: readonly (readonly [start: string, name: string])[] = [
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
  ['①', 'decimalEnclosedCircle'],
  ['가', 'ganada'],
  ['ㄱ', 'chosung'],
  ['일', 'koreanDigital'],
  ['01', 'decimalZero'],
];

const wordFormat = (format: string): string => formats.find(([start]) => format.startsWith(start))?.[1] ?? 'decimal';
