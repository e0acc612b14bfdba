import { wholeNumber } from '../docx/word-values.ts';
import type { XmlEvents } from '../docx/xml-tags.ts';
import { printListNumber } from '../list-number.ts';

type Get = Parameters<XmlEvents['open']>[1];

/** Returns the printed labels of a document's paragraphs, for calls in document order. */
export interface HwpxNumbering {
  /** Sets the numbering of the outline in a section. */
  beginSection(outline: string | undefined): void;
  /** `paragraph` is the id of the paragraph's properties. */
  label(paragraph: string | undefined): string;
}

interface Level {
  readonly format: string;
  readonly start: number;
  /** Label such as `제^1조`: `^1` is the number of the first level, `^n` and `^N` are the numbers of all levels down to this one. */
  text: string;
}

type Levels = Map<number, Level>;

/** Numbering of a paragraph: `NUMBER`, `BULLET`, or `OUTLINE`, whose numbering the section names. */
interface Head {
  readonly type: string;
  readonly id: string;
  readonly level: number;
}

interface Header {
  readonly numberings: Map<string, Levels>;
  readonly heads: Map<string, Head>;
}

const maxDepth = 10;
/** Longer than any label. */
const maxTextChars = 100;

/** Creates the numbering of a document with this header. */
export function hwpxNumbering({ numberings, heads }: Header): HwpxNumbering {
  const countsOf = new Map<string, number[]>();
  let outline: string | undefined;
  return {
    beginSection(id) {
      outline = id ?? outline;
    },
    label(paragraph) {
      const head = heads.get(paragraph ?? '');
      if (!head || head.level < 1 || head.level > maxDepth) return '';
      if (head.type === 'BULLET') return '- ';
      const levels = numberings.get(head.type === 'OUTLINE' ? (outline ?? head.id) : head.id);
      const own = levels?.get(head.level);
      if (!levels || !own) return '';
      const key = `${head.type} ${head.type === 'OUTLINE' ? '' : head.id}`;
      const counts = countsOf.get(key) ?? [];
      countsOf.set(key, counts);
      const before = counts[head.level];
      counts[head.level] = before === undefined ? own.start : before + 1;
      counts.length = head.level + 1;
      const numberAt = (at: number): string => {
        const level = levels.get(at);
        return printListNumber(counts[at] ?? level?.start ?? 1, formats[level?.format ?? ''] ?? 'decimal');
      };
      const path = Array.from({ length: head.level }, (_, i) => numberAt(i + 1)).join('.');
      const label = own.text.replace(/\^(10|[1-9nN])/g, (_, sign: string) =>
        sign === 'n' ? path : sign === 'N' ? `${path}.` : numberAt(Number(sign)),
      );
      return label.trim() === '' ? '' : `${label} `;
    },
  };
}

/** Collects the numbering in `Contents/header.xml`. */
export function readHwpxHeader(): Header & XmlEvents {
  const header: Header = { numberings: new Map(), heads: new Map() };
  let levels: Levels | undefined;
  let level: Level | undefined;
  let paragraph: string | undefined;
  const openLevel = (get: Get): void => {
    const depth = wholeNumber(get('level')) ?? 1;
    level = { format: get('numFormat') ?? 'DIGIT', start: wholeNumber(get('start')) ?? 1, text: '' };
    if (depth >= 1 && depth <= maxDepth) levels?.set(depth, level);
  };
  return {
    ...header,
    open(tag, get) {
      const local = localOf(tag);
      if (local === 'numbering') {
        levels = new Map();
        header.numberings.set(get('id') ?? '', levels);
      } else if (local === 'paraHead' && levels) openLevel(get);
      else if (local === 'paraPr') paragraph = get('id');
      else if (local === 'heading' && paragraph !== undefined) {
        const type = get('type') ?? 'NONE';
        if (type === 'NUMBER' || type === 'OUTLINE' || type === 'BULLET')
          header.heads.set(paragraph, { type, id: get('idRef') ?? '', level: (wholeNumber(get('level')) ?? 0) + 1 });
      }
    },
    close(tag) {
      const local = localOf(tag);
      if (local === 'numbering') levels = undefined;
      else if (local === 'paraHead') level = undefined;
      else if (local === 'paraPr') paragraph = undefined;
    },
    text(text) {
      if (level) level.text = (level.text + text).slice(0, maxTextChars);
    },
  };
}

const localOf = (tag: string): string => tag.slice(tag.indexOf(':') + 1);

const formats: Readonly<Record<string, string>> = {
  CIRCLED_DIGIT: 'decimalEnclosedCircle',
  ROMAN_CAPITAL: 'upperRoman',
  ROMAN_SMALL: 'lowerRoman',
  LATIN_CAPITAL: 'upperLetter',
  LATIN_SMALL: 'lowerLetter',
  HANGUL_SYLLABLE: 'ganada',
  HANGUL_JAMO: 'chosung',
  HANGUL_PHONETIC: 'koreanDigital',
};
