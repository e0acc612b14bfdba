import { shorten } from '../../core/errors/shorten.ts';
import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { toJson } from '../../core/util/to-json.ts';

/** Result of a server's tool call. */
export interface CallResult {
  readonly isError: boolean;
  readonly output: Json;
}

/**
 * Converts the result of `tools/call` to a tool's output: the structured content, else the texts. Other content becomes a placeholder, so
 * that the model knows of it.
 */
export function readCallResult(result: Readonly<Record<string, unknown>>): CallResult {
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  const text = parts.map(({ shown }) => shown).join('\n');
  if (!isObject(structuredContent)) return { isError: isError === true, output: text };
  const data = toJson(structuredContent, 'structuredContent');
  // servers repeat structured content as text, for clients that cannot read it
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
/** Size of base64 data. */
const sizeOf = (data: unknown): string => `${Math.floor((textOf(data).replace(/=+$/, '').length * 3) / 4)} bytes`;
