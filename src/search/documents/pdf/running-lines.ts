import type { PageLine } from './page-lines.ts';

// share of the page at its top and bottom; repeated lines further in stay
const margin = 0.12;

/** A line with its page and its numbers. */
interface NumberedLine {
  readonly page: number;
  readonly line: PageLine;
  readonly numbers: readonly number[];
}

/**
 * Returns the pages without page numbers and running lines. A running line repeats at the top or bottom of many pages, and differs only in
 * the page number.
 */
export function withoutRunningLines(pages: readonly (readonly PageLine[])[]): readonly (readonly PageLine[])[] {
  const groups = new Map<string, NumberedLine[]>();
  for (const [page, lines] of pages.entries()) {
    for (const line of lines) {
      if (line.place > margin && line.place < 1 - margin) continue;
      const key = `${Math.round(line.place * 100)} ${line.text.replace(/\d+/g, '#')}`;
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push({ page, line, numbers: (line.text.match(/\d+/g) ?? []).map(Number) });
    }
  }
  const running = new Set<PageLine>();
  for (const group of groups.values()) {
    const onPages = new Set(group.map(({ page }) => page)).size;
    const isRunning = onPages >= Math.max(2, pages.length * 0.4) && isNumberedByPage(group);
    for (const { line, page } of group) {
      if (isRunning || isPageNumber(line.text, page + 1, pages.length)) running.add(line);
    }
  }
  return pages.map((lines) => lines.filter((line) => !running.has(line)));
}

/** True if each number of the lines is the same on all pages, or increases by one per page. */
function isNumberedByPage(group: readonly NumberedLine[]): boolean {
  const [first] = group;
  if (!first) return false;
  return first.numbers.every((number, at) => {
    const same = group.every(({ numbers }) => numbers[at] === number);
    const counted = group.every(({ page, numbers }) => (numbers[at] ?? 0) - page === number - first.page);
    // 제1조, 제2조, … may well be the first lines of successive pages
    return same || (counted && !/^(?:제\s*\d|article|section|\d+\.)/i.test(first.line.text));
  });
}

/** True for `- 3 -`, `3 / 12`, `Page 3 of 12` on page 3 of 12. */
function isPageNumber(text: string, page: number, pages: number): boolean {
  const found = /^(?:[-–—]\s?(\d{1,4})\s?[-–—]|(?:page )?(\d{1,4})\s?(?:\/|of)\s?(\d{1,4}))$/i.exec(text);
  if (!found) return false;
  return Number(found[1] ?? found[2]) === page && (found[3] === undefined || Number(found[3]) === pages);
}
