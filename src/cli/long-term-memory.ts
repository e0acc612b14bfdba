import { createLongTermMemory, type LongTermMemory } from '../memory/index.ts';
import { sqliteIndex } from '../search/adapters/sqlite-index.ts';
import { hashedEmbedder } from '../search/index.ts';
import type { Opened } from './opened.ts';

/** What is known of users, in a file of its own. */
export async function openMemory(path: string, opened: Opened): Promise<LongTermMemory> {
  const embedder = hashedEmbedder();
  const index = await sqliteIndex({ path, embedder, wordsOf: () => '' }); // no word of what was forgotten stays in an index of words
  opened.add(() => index.close());
  return createLongTermMemory({ index, embedder });
}
