import { shorten } from '../errors/shorten.ts';

/** Maximum number of items shown to a person or a model. */
export const maxShown = 20;
const maxLength = 3_600;
const maxItemLength = 400;

/** Joins any number of texts of any length into one of bounded length and counts what is left out. */
export function shownList(texts: readonly string[], separator = '; '): string {
  let list = '';
  let shown = 0;
  for (const text of texts.slice(0, maxShown)) {
    const next = `${shown === 0 ? '' : separator}${shorten(text, maxItemLength)}`;
    if (list.length + next.length > maxLength) break;
    list += next;
    shown++;
  }
  const more = texts.length - shown;
  return more === 0 ? list : `${list}${separator}and ${more} more`;
}

/** Issues of a schema, each with its place. */
export const shownIssues = (issues: readonly { readonly path: string; readonly message: string }[]): string =>
  shownList(issues.map(({ path, message }) => `${path} ${message}`.trim()));

export const shownNames = (names: readonly string[]): string => shownList(names, ', ');

export const quotedNames = (names: readonly string[]): string => shownNames(names.map((name) => JSON.stringify(name)));
