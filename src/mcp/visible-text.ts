/**
 * Characters that no reader sees: controls but the tab and the line feed, format characters (direction, zero width, tags), fillers, private
 * and unassigned ones. The joiner and the selector of emoji are seen by what they join.
 */
const unseen = /[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]--[\n\t\u200d\ufe0f]]/gv;

/** True when a text says something that its reader does not see. */
const hasUnseen = (text: string): boolean => text.replace(unseen, '') !== text;

/** The text as its reader sees it. */
export const visibleText = (text: string): string => text.replace(/\r\n?/g, '\n').replace(unseen, '').toWellFormed();

/** True when any text or key of a value has something that a reader does not see. The value is no deeper than a schema may be. */
export function hidesText(value: unknown): boolean {
  if (typeof value === 'string') return hasUnseen(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasUnseen(key) || hidesText(inner));
}
