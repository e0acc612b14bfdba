import { romanNumber } from '../parse/roman-number.ts';

/** The kind of a label: an article or section (조, or the English word), an exhibit, 부칙, or a number alone, which may be any of these. */
type HeadingKind = 'article' | 'exhibit' | 'addenda' | 'number';

/** A heading, cited or written, in normalized form. */
export interface LabelHeading {
  readonly kind: HeadingKind;
  /** `조`, `Article`, `Section`, `Clause`; for an exhibit `별지`, `Schedule`. Empty for a number alone. */
  readonly word: string;
  /** `10.2` for 제10조의2, `4.2` for Section 4.02, `4` for Article IV, `A-1`. Empty without a number. */
  readonly number: string;
}

const roman = /^(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/i;

/** Normalizes a number: no leading zeros, roman numbers as digits, capital letters. */
export function numberOf(written: string): string {
  const plain = written
    .normalize('NFKC')
    .replace(/\s+/gu, '')
    .replace(/의/gu, '.')
    .replace(/[.)]+$/u, '');
  if (roman.test(plain)) return String(romanNumber(plain));
  return plain
    .split('.')
    .map((part) => (/^\d+$/u.test(part) ? String(Number(part)) : part.toUpperCase()))
    .join('.');
}

const englishWords: Readonly<Record<string, string>> = {
  art: 'Article',
  article: 'Article',
  sec: 'Section',
  section: 'Section',
  '§': 'Section',
  cl: 'Clause',
  clause: 'Clause',
  paragraph: 'Section',
  para: 'Section',
  subsection: 'Section',
};

/** Expands `Art.`, `SECTIONS`, `§§` to `Article`, `Section`. */
export const englishWord = (written: string): string =>
  englishWords[written.toLowerCase().replace(/\.$/u, '').replace(/^§+$/u, '§').replace(/s$/u, '')] ?? written;

export const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;

const korean = /^제?(\d+)조((?:의\d+)*)$/u;
const english = /^(Article|Section|Clause) (\S+)$/u;
const numberAlone = /^\d+(?:\.\d+)*$/u;

/** Returns the heading for the label of a part, or `undefined` for parts that are not articles, such as `Preamble`. */
export function headingOf(label: string, part: string): LabelHeading | undefined {
  const [, main, branches = ''] = korean.exec(label) ?? [];
  if (main !== undefined) return { kind: 'article', word: '조', number: numberOf(main + branches) };
  const [, word, number = ''] = english.exec(label) ?? [];
  if (word !== undefined) return { kind: 'article', word, number: numberOf(number) };
  if (numberAlone.test(label)) return { kind: 'article', word: '', number: numberOf(label) };
  if (part === 'addenda') return { kind: 'addenda', word: '부칙', number: '' };
  if (part !== 'exhibit') return undefined;
  const [, name = label, behind = ''] = /^([가-힣]+|[A-Za-z]+)\s*(.*)$/u.exec(label) ?? [];
  return { kind: 'exhibit', word: name, number: numberOf(behind) };
}

/** Formats a heading for an answer: `제10조의2`, `Section 4.2`, `별지 1`. */
export function headingText({ kind, word, number }: LabelHeading): string {
  if (kind === 'addenda') return '부칙';
  if (word !== '조') return [word, number].filter(Boolean).join(' ');
  const [main = '', ...branches] = number.split('.');
  return `제${main}조${branches.map((branch) => `의${branch}`).join('')}`;
}
