import { shorten } from '../../core/errors/shorten.ts';
import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { AiSdkChunk } from './ai-sdk-chunk.ts';

/** A source of an answer as an AI SDK chunk. Only web addresses become links. */
export function toSource(sourceId: string, source: Json): AiSdkChunk {
  const fields: Readonly<Record<string, unknown>> = isObject(source) ? source : { title: source };
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const title = shorten(text('title', 'name', 'label', 'id', 'documentId') ?? JSON.stringify(source), 200);
  const providerMetadata = { 'agent-machines': { source } };
  const url = text('url', 'uri', 'link');
  if (url !== undefined && /^https?:\/\//i.test(url)) return { type: 'source-url', sourceId, url, title, providerMetadata };
  return { type: 'source-document', sourceId, mediaType: 'text/plain', title, providerMetadata };
}
