import type { Json } from '../core/ports/json.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import { parseModelJson } from '../core/schema/parse-model-json.ts';

/** Shows the JSON of a reply while it arrives. */
export interface PartialOutput {
  /** Takes the whole text so far. */
  push(text: string): void;
  /** Takes the whole text of the reply. */
  end(text: string): void;
}

/** Minimum growth of the text between two events, in characters and as a share of the text. All events together stay below 2 MB. */
const [minGrowth, minShare] = [32, 1 / 16];
/** Maximum length of a text that is shown, in characters. */
const maxChars = 100_000;
/** As for all JSON of the package. */
const maxDepth = 200;

/** Reports the JSON so far as live-only events: `custom` with the name `partial-output`. Each value replaces the one before. */
export function partialOutput(emit: NodeIo['emit']): PartialOutput {
  let length = 0;
  let last = '{}';
  const show = (text: string): void => {
    length = text.length;
    const data = text.length > maxChars ? undefined : partialJson(text);
    const json = JSON.stringify(data);
    if (data === undefined || json === last) return;
    last = json;
    emit({ type: 'custom', name: 'partial-output', data });
  };
  return {
    push(text) {
      if (text.length - length >= Math.max(minGrowth, text.length * minShare)) show(text);
    },
    end: show,
  };
}

const openFence = /^\s*(?:```(?:json)?[ \t]*\r?\n)?\s*/i;
const token = /\s*(?:([{[])|([}\]])|([,:])|("[^"\\]*(?:\\(?:[^u]|u[\da-f]{4})[^"\\]*)*)("?)|([-+.\w]+))/giy;
/** Half a character at the end of a text. */
const halfCharacter = /(?:[\ud800-\udbff]|(?<=(?<!\\)(?:\\\\)*)\\ud[89ab][\da-f]{2})$/i;

/**
 * Returns the object or list of which a text is the beginning: strings as far as they have come, numbers and names when they are complete.
 * `undefined` for other texts, and for those that `parseModelJson` would refuse once they are closed.
 */
function partialJson(text: string): Json | undefined {
  const start = openFence.exec(text)?.[0].length ?? 0;
  if (!/[{[]/.test(text.charAt(start))) return undefined;
  let whole = ''; // the longest beginning that becomes JSON when it is closed
  let closers = '';
  let isKey = false;
  token.lastIndex = start;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [, opening, closing, mark, string, quote, scalar] = found;
    const end = token.lastIndex;
    if (opening) closers = (opening === '{' ? '}' : ']') + closers;
    if (closing && !closers.startsWith(closing)) return undefined;
    if (closing) closers = closers.slice(1);
    if (closers.length > maxDepth) return undefined;
    if (opening || mark) isKey = closers.startsWith('}') && mark !== ':';
    if (string !== undefined && quote === '' && !isKey) {
      whole = `${text.slice(start, end).replace(halfCharacter, '')}"${closers}`;
      break;
    }
    if (opening || closing || (string !== undefined && !isKey) || (scalar && end < text.length)) whole = text.slice(start, end) + closers;
    if (closers === '') break;
  }
  token.lastIndex = 0;
  try {
    return parseModelJson(whole);
  } catch {
    return undefined; // also one with a dangerous key
  }
}
