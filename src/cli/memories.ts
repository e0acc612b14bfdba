import { existsSync } from 'node:fs';
import type { LongTermMemory } from '../memory/index.ts';
import type { UserFlags } from './flags.ts';
import { memoryPathOf } from './memory-path.ts';
import { createOpened } from './opened.ts';
import { printMemories } from './tables.ts';
import { UsageError } from './usage-error.ts';

export async function listMemories({ db, user, json = false }: UserFlags & { readonly json?: boolean }): Promise<void> {
  if (!existsSync(memoryPathOf(db))) return printMemories([], json);
  await withMemory(db, async (memories) => printMemories(await memories.list(user), json));
}

export async function forgetMemories(ids: readonly string[], { db, user, all }: UserFlags & { readonly all?: boolean }): Promise<void> {
  if (!all && ids.length === 0) throw new UsageError('Say what is to be forgotten: ids of `memory list`, or --all.');
  if (all && ids.length > 0) throw new UsageError('Give ids, or --all, not both.');
  await withMemory(db, async (memories) => {
    process.stderr.write(`${await memories.forget(user, all ? 'all' : ids)} forgotten.\n`);
  });
}

async function withMemory(db: string, work: (memory: LongTermMemory) => Promise<void>): Promise<void> {
  const { openMemory } = await import('./long-term-memory.ts');
  const opened = createOpened();
  try {
    await work(await openMemory(memoryPathOf(db), opened));
  } finally {
    await opened.close();
  }
}
