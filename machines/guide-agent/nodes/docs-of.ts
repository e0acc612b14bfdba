import type { PastCall } from 'agent-machines/tools';
import * as z from 'zod/mini';
import type { RetrievedDoc } from '../state.ts';

/** Schema of the fields that are read from retrieve_docs outputs, which may come from another version's journal. */
const knowledge = z.object({
  should_fallback: z.boolean(),
  services: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      purpose: z.string(),
      description: z.string(),
      description_en: z.optional(z.string()),
      price: z.unknown(),
    }),
  ),
  trends: z.array(z.object({ id: z.string(), source: z.string(), heading: z.string(), text: z.string() })),
});

/** Returns the documents of a call: those of retrieve_docs, or the `results` (title, url, content) of a web search. */
export function docsOf(past: PastCall): readonly RetrievedDoc[] {
  if (past.status !== 'success') return [];
  const { call, output } = past;
  if (call.name === 'retrieve_docs') return knowledgeDocs(knowledge.safeParse(output).data);
  const results = typeof output === 'object' && output !== null && 'results' in output ? output.results : null;
  if (!Array.isArray(results)) return [];
  return results.flatMap((result: unknown) => {
    const { title, url, content } = (result ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof title !== 'string' || typeof url !== 'string' || typeof content !== 'string') return [];
    return [{ id: url, title, text: content, source: url }];
  });
}

/** Returns whether the output asks for another source; `false` for a web search, which is that source. */
export function asksFallback(past: PastCall): boolean | undefined {
  if (past.status !== 'success') return undefined;
  const { call, output } = past;
  if (call.name === 'google_search') return false;
  return call.name === 'retrieve_docs' ? knowledge.safeParse(output).data?.should_fallback : undefined;
}

const knowledgeDocs = ({ services, trends }: Partial<z.infer<typeof knowledge>> = {}): readonly RetrievedDoc[] => [
  ...(services ?? []).map(({ id, name, purpose, description, description_en = '', price }) => ({
    id,
    title: name,
    text: `${purpose}. ${description} ${description_en} ${JSON.stringify(price)}`,
    source: 'catalogue',
  })),
  ...(trends ?? []).map(({ id, source, heading, text }) => ({ id, title: heading, text, source })),
];

/** True if a document is the service's catalogue entry, or names it as a separate word. */
export function showsService({ id, title, text, source }: RetrievedDoc, service: string): boolean {
  const name = plain(service);
  if (name.length < 2) return false;
  if (source === 'catalogue') return name === plain(title) || name === plain(id);
  const words = plain(`${title}\n${text}`);
  for (let at = words.indexOf(name); at >= 0; at = words.indexOf(name, at + 1)) {
    const isCut = /[\p{L}\p{N}]/u.test(words[at - 1] ?? ' ') || /^[a-z0-9]{2}$/.test(`${name.at(-1)}${words[at + name.length]}`);
    if (!isCut) return true; // a Korean particle may follow
  }
  return false;
}

const plain = (text: string): string => text.normalize('NFKC').trim().toLowerCase();
