import { visibleText } from './visible-text.ts';

/** Puts a text on one line and truncates it. */
export function oneLine(text: string, chars: number): string {
  const line = visibleText(text).replaceAll(/\s+/gu, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars - 1).trimEnd()}…` : line;
}
