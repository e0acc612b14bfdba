import type { Json } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';
import { shorten } from '../util/shorten.ts';
import { toJson } from '../util/to-json.ts';

/** What a server has answered to a call. */
export interface CallResult {
  readonly isError: boolean;
  readonly output: Json;
}

/**
 * The result of `tools/call` as the output of a tool: its structured content, else its texts. What is no text is named in its place, so that
 * a model knows that it was there.
 */
export function readCallResult(result: Readonly<Record<string, unknown>>): CallResult {
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  const text = parts.map(({ shown }) => shown).join('\n');
  if (!isObject(structuredContent)) return { isError: isError === true, output: text };
  const data = toJson(structuredContent, 'structuredContent');
  // a server repeats what is structured as a text, for those who cannot read it
  const isAll = parts.every(({ isText }) => isText);
  return { isError: isError === true, output: isAll ? data : { structuredContent: data, content: text } };
}

interface Part {
  readonly isText: boolean;
  readonly shown: string;
}

function partOf(item: unknown): Part {
  const part = isObject(item) ? item : {};
  switch (part.type) {
    case 'text':
      return { isText: true, shown: textOf(part.text) };
    case 'image':
    case 'audio':
      return marked(`${part.type} ${nameOf(part.mimeType)}, ${sizeOf(part.data)}`);
    case 'resource_link':
      return marked(`link ${nameOf(part.uri)}${part.name === undefined ? '' : `: ${nameOf(part.name)}`}`);
    case 'resource':
      return resourceOf(isObject(part.resource) ? part.resource : {});
    default:
      return marked(`content of the unknown type ${nameOf(part.type)}`);
  }
}

function resourceOf({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): Part {
  if (typeof text === 'string') return { isText: false, shown: `[resource ${nameOf(uri)}]\n${text}` };
  return marked(`resource ${nameOf(uri)}, ${nameOf(mimeType)}, ${sizeOf(blob)}`);
}

const marked = (what: string): Part => ({ isText: false, shown: `[${what}: not shown]` });
const textOf = (value: unknown): string => (typeof value === 'string' ? value.toWellFormed() : '');
const nameOf = (value: unknown): string => shorten(textOf(value).replace(/[\s[\]]+/g, ' '), 200) || 'without a name';
/** Of base64. */
const sizeOf = (data: unknown): string => `${Math.floor((textOf(data).replace(/=+$/, '').length * 3) / 4)} bytes`;
