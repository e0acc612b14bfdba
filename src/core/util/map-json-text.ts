import { parseJson } from './parse-json.ts';

/** Strings, keys included, and whole numbers of nine digits or more, which may be a card or phone number. */
const leaf = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])\d{9,30}(?![\d.eE])/g;
/** Content of a file. Text without a space is no prose, and a change would break it. */
const file = /^[A-Za-z0-9+/]{200,}={0,2}$/;

/**
 * Replaces the strings of a JSON object or array, and keeps everything else of its text. A changed number becomes a string. The content of
 * files in base64 stays.
 *
 * @returns `undefined` if the text is no JSON object or array.
 */
export function mapJsonText(text: string, map: (text: string) => string): string | undefined {
  if (!/^\s*[[{]/.test(text) || parseJson(text) === undefined) return undefined;
  return text.replace(leaf, (written) => {
    const isString = written.startsWith('"');
    const before = isString ? String(JSON.parse(written)) : written;
    if (file.test(before)) return written;
    const after = map(before);
    return after === before ? written : JSON.stringify(after);
  });
}
