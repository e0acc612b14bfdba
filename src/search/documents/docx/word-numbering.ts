import { printListNumber } from '../list-number.ts';
import type { WordStyle } from './word-styles.ts';
import { wholeNumber } from './word-values.ts';
import { visitXmlTags } from './xml-tags.ts';

/** Numbering properties of a paragraph. */
export interface ParagraphNumbering {
  readonly style: string | undefined;
  /** `0` disables numbering, even if the style has it. */
  readonly list: string | undefined;
  readonly level: number | undefined;
}

interface Level {
  readonly start: number;
  readonly format: string;
  /** Label such as `제%1조`: `%1` is the number of the first level. */
  readonly text: string;
  readonly suffix: string;
  /** Prints all numbers of the label as 1, 2, 3. */
  readonly isDecimal: boolean;
  readonly style: string | undefined;
}

interface Scheme {
  readonly levels: Map<number, Level>;
  styleLink?: string;
}

interface List {
  scheme: string;
  readonly starts: Map<number, number>;
  readonly levels: Map<number, Level>;
}

/**
 * Returns a function that gives the label that Word prints before a paragraph; call it for each paragraph in document order. `numbering` is
 * the part `word/numbering.xml`.
 */
export function wordNumbering(numbering: string, styleOf: (id: string) => WordStyle): (paragraph: ParagraphNumbering) => string {
  const { schemes, lists } = readNumbering(numbering);
  const counts = new Map<string, number[]>();
  const startedLists = new Set<string>();

  return (paragraph) => {
    const found = find(paragraph);
    if (!found) return '';
    const { listId, list, schemeId, scheme, depth } = found;
    const level = (at: number): Level | undefined => list.levels.get(at) ?? scheme.levels.get(at);
    const own = level(depth);
    if (!own || own.format === 'none') return own ? withSuffix(own.text.replace(/%\d/g, ''), own) : '';
    if (own.format === 'bullet') return '- ';
    const count = counts.get(schemeId) ?? [];
    counts.set(schemeId, count);
    const restart = startedLists.has(`${listId}/${depth}`) ? undefined : list.starts.get(depth);
    startedLists.add(`${listId}/${depth}`);
    const before = count[depth];
    count[depth] = restart ?? (before === undefined ? own.start : before + 1);
    count.length = depth + 1;
    const label = own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const number = count[at] ?? level(at)?.start ?? 1;
      return printListNumber(number, own.isDecimal ? 'decimal' : (level(at)?.format ?? 'decimal'));
    });
    return withSuffix(label, own);
  };

  function find({ style, list, level }: ParagraphNumbering) {
    const named = style === undefined ? undefined : styleOf(style);
    const listId = list ?? named?.list;
    const found = listId === undefined ? undefined : lists.get(listId);
    if (listId === undefined || !found) return undefined;
    const schemeId = resolveScheme(found.scheme);
    const scheme = schemes.get(schemeId);
    if (!scheme) return undefined;
    const byStyle = [...scheme.levels].find(([, one]) => style !== undefined && one.style === style)?.[0];
    return { listId, list: found, schemeId, scheme, depth: level ?? (list === undefined ? byStyle : undefined) ?? named?.level ?? 0 };
  }

  /** Resolves a scheme that only names a style, whose list has the levels. */
  function resolveScheme(id: string): string {
    const link = schemes.get(id)?.styleLink;
    const list = link === undefined ? undefined : styleOf(link).list;
    return (list === undefined ? undefined : lists.get(list)?.scheme) ?? id;
  }
}

const withSuffix = (label: string, { suffix }: Level): string => (label === '' || suffix === 'nothing' ? label : `${label} `);

function readNumbering(xml: string) {
  const schemes = new Map<string, Scheme>();
  const lists = new Map<string, List>();
  let scheme: Scheme | undefined;
  let list: List | undefined;
  let at = 0;
  let level: { -readonly [Key in keyof Level]: Level[Key] } | undefined;
  visitXmlTags(xml, ({ name, kind, get }) => {
    if (kind === 'close') {
      if (name === 'w:abstractNum') scheme = undefined;
      if (name === 'w:num') list = undefined;
      if (name === 'w:lvl') level = undefined;
      return;
    }
    const value = get('w:val');
    if (name === 'w:abstractNum') {
      scheme = { levels: new Map() };
      schemes.set(get('w:abstractNumId') ?? '', scheme);
    } else if (name === 'w:num') {
      list = { scheme: '', starts: new Map(), levels: new Map() };
      lists.set(get('w:numId') ?? '', list);
    } else if (name === 'w:abstractNumId' && list) list.scheme = value ?? '';
    else if (name === 'w:numStyleLink' && scheme && value !== undefined) scheme.styleLink = value;
    else if (name === 'w:lvlOverride') at = wholeNumber(get('w:ilvl')) ?? 0;
    else if (name === 'w:startOverride' && list) list.starts.set(at, wholeNumber(value) ?? 1);
    else if (name === 'w:lvl') {
      const depth = wholeNumber(get('w:ilvl')) ?? 0;
      if (depth > 8) return; // Word has nine levels
      level = { start: 0, format: 'decimal', text: '', suffix: 'tab', isDecimal: false, style: undefined };
      (list ?? scheme)?.levels.set(depth, level);
    } else if (level) {
      if (name === 'w:start') level.start = wholeNumber(value) ?? 0;
      else if (name === 'w:numFmt') level.format = value ?? 'decimal';
      else if (name === 'w:lvlText') level.text = (value ?? '').slice(0, 100);
      else if (name === 'w:suff') level.suffix = value ?? 'tab';
      else if (name === 'w:isLgl') level.isDecimal = value !== '0' && value !== 'false';
      else if (name === 'w:pStyle') level.style = value;
    }
  });
  return { schemes, lists };
}
