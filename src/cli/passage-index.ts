import { hash } from '../core/util/hash.ts';
import type { Retriever } from '../index.ts';
import type { DocumentPassage } from '../search/index.ts';
import { createVectorStore } from '../search/indexes/vector-store.ts';
import type { OpenResources } from './open-resources.ts';

/** Opens a collection of a Chroma server, named after its passages. Changed passages get a new collection; an existing one stays as it is. */
export async function passageIndex(
  name: string,
  passages: readonly DocumentPassage[],
  url: string | undefined,
  opened: OpenResources,
): Promise<Retriever> {
  const collection = `agent-machines-${name}-${hash(JSON.stringify(passages)).slice(0, 16)}`;
  const found = await createVectorStore({ type: 'chroma', collection, ...(url === undefined ? {} : { url }) });
  opened.add(() => found.close());
  if ((await found.count()) !== passages.length) await found.add(passages);
  return found;
}
