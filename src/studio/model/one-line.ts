import { visibleText } from './visible-text.ts';

/** A text on one line, cut where it is long. */
export function oneLine(text: string, chars: number): string {
  const line = visibleText(text).replaceAll(/\s+/gu, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars - 1).trimEnd()}…` : line;
}
