import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

/** A quote of an answer; it may or may not occur in the source text. */
export interface CitedQuote {
  readonly label: string;
  readonly quote: string;
  readonly supported: boolean;
}

export interface Source {
  readonly label: string;
  readonly title: string;
  readonly text?: string;
}

/** Answer text of an output: the known answer field, or else the whole output. */
export function answerOf(output: Json | undefined): string {
  if (output === undefined || output === null) return '';
  if (typeof output === 'string') return output;
  if (isObject(output)) {
    for (const name of ['answer', 'text', 'guide', 'result', 'output']) {
      const value = output[name];
      if (typeof value === 'string') return value;
    }
  }
  return `\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\``;
}

export function citationsOf(output: Json | undefined): readonly CitedQuote[] {
  const list = fieldOf(output, 'citations');
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => {
    const { label, quote, status } = (one ?? {}) as { readonly label?: Json; readonly quote?: Json; readonly status?: Json };
    return typeof label === 'string' ? [{ label, quote: typeof quote === 'string' ? quote : '', supported: status === 'supported' }] : [];
  });
}

/** Reads sources under the field names of different workflows. */
export function sourcesOf(sources: Json | undefined): readonly Source[] {
  if (!Array.isArray(sources)) return [];
  return sources.flatMap((one): readonly Source[] => {
    if (typeof one === 'string') return [{ label: one, title: '' }];
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
    const label = [one.label, one.source, one.id, one.title].find((value) => typeof value === 'string');
    if (typeof label !== 'string') return [];
    const title = typeof one.title === 'string' && one.title !== label ? one.title : '';
    const name = typeof one.contract === 'string' ? `${one.contract} ${label}` : label; // of one of several contracts
    return [{ label: name, title, ...(typeof one.text === 'string' ? { text: one.text } : {}) }];
  });
}

const fieldOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? (value[name] as Json | undefined) : undefined;
