import type { NoteQuery, NoteRow } from '../../core/ports/run-storage.ts';
import { checkOptions, count, required, text } from '../../core/util/check-options.ts';

const maxLimit = 1_000;

/** Names of a page of notes, in the order of their UTF-8 bytes. */
export interface NotePage {
  /** First possible name. */
  readonly from: string;
  /** True when the name `from` itself is not part of the page. */
  readonly isAfter: boolean;
  /** First name that is too large; absent when every larger name has the prefix. */
  readonly until?: string | undefined;
  readonly limit: number;
}

/** Checks a query of notes and returns its range. @throws {WorkflowError} `OPTION_INVALID`. */
export function notePage(query: NoteQuery): NotePage {
  checkOptions('notes', query, { prefix: required(text), after: text, limit: count });
  const { prefix, after, limit = 100 } = query;
  const isAfter = after !== undefined && compareNames(after, prefix) >= 0;
  return { from: isAfter ? after : prefix, isAfter, until: nextPrefix(prefix), limit: Math.min(limit, maxLimit) };
}

/** Selects a page from all notes, for storages without an index in the order of bytes. */
export function pageOf<T extends Pick<NoteRow, 'name'>>(rows: Iterable<T>, { from, isAfter, until, limit }: NotePage): readonly T[] {
  return [...rows]
    .filter(({ name }) => {
      const order = compareNames(name, from);
      return (isAfter ? order > 0 : order >= 0) && (until === undefined || compareNames(name, until) < 0);
    })
    .sort((a, b) => compareNames(a.name, b.name))
    .slice(0, limit);
}

/** Returns the condition of a page as SQL, with its values. Without a bound there is no comparison, so that the primary key is used. */
export function notePageSql(
  { from, isAfter, until }: NotePage,
  parameter: (index: number) => string,
): { readonly where: string; readonly values: readonly string[] } {
  const lower = `name ${isAfter ? '>' : '>='} ${parameter(1)}`;
  return until === undefined ? { where: lower, values: [from] } : { where: `${lower} AND name < ${parameter(2)}`, values: [from, until] };
}

/** Compares by code points, which is the order of UTF-8 bytes. JavaScript compares by UTF-16 units. */
function compareNames(a: string, b: string): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = rankOf(a.charCodeAt(index)) - rankOf(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Ranks surrogates, the units of the largest code points, after all other units. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit);

/** Returns the first text after all texts with this prefix. */
function nextPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    if (point < 0x10_ffff) return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
}
