/**
 * Invisible characters: controls except tab and line feed, format characters (direction, zero width, tags), fillers, private and unassigned
 * ones. Emoji joiners and selectors are allowed: they change the visible emoji.
 */
const invisible = /[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]--[\n\t\u200d\ufe0f]]/gv;

const hasInvisible = (text: string): boolean => text.replace(invisible, '') !== text;

/** The text without invisible characters. */
export const visibleText = (text: string): string => text.replace(/\r\n?/g, '\n').replace(invisible, '').toWellFormed();

/** True when any text or key of a value contains invisible characters. The caller limits the depth of the value to that of a schema. */
export function hidesText(value: unknown): boolean {
  if (typeof value === 'string') return hasInvisible(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasInvisible(key) || hidesText(inner));
}
