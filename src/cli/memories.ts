import { existsSync } from 'node:fs';
import type { LongTermMemory } from '../agents/memory/index.ts';
import { memoryPathOf } from './database.ts';
import type { UserFlags } from './flags.ts';
import { createOpenResources } from './open-resources.ts';
import { printMemories } from './tables.ts';
import { UsageError } from './usage-error.ts';

export async function listMemories({ user, json = false, ...place }: UserFlags & { readonly json?: boolean }): Promise<void> {
  if (place.store !== 'chroma' && !existsSync(memoryPathOf(place.db))) return printMemories([], json);
  await withMemory(place, async (memories) => printMemories(await memories.list(user), json));
}

type ChosenFlags = UserFlags & { readonly all?: boolean };

export async function forgetMemories(ids: readonly string[], { user, all = false, ...place }: ChosenFlags): Promise<void> {
  const chosen = chosenIds(ids, all, 'Name the memories to delete: ids of `memory list`, or --all.');
  await withMemory(place, async (memories) => {
    process.stderr.write(`${await memories.forget(user, chosen)} forgotten.\n`);
  });
}

export async function releaseMemories(ids: readonly string[], { user, all = false, ...place }: ChosenFlags): Promise<void> {
  const chosen = chosenIds(ids, all, 'Name the memories to release: ids of `memory list`, or --all.');
  await withMemory(place, async (memories) => {
    process.stderr.write(`${await memories.release(user, chosen)} released.\n`);
  });
}

function chosenIds(ids: readonly string[], all: boolean, missing: string): readonly string[] | 'all' {
  if (!all && ids.length === 0) throw new UsageError(missing);
  if (all && ids.length > 0) throw new UsageError('Give either ids or --all.');
  return all ? 'all' : ids;
}

async function withMemory(
  { db, store, storeUrl }: Omit<UserFlags, 'user'>,
  work: (memory: LongTermMemory) => Promise<void>,
): Promise<void> {
  const { openMemory } = await import('./long-term-memory.ts');
  const opened = createOpenResources();
  try {
    const place = { ...(store === undefined ? {} : { store }), ...(storeUrl === undefined ? {} : { storeUrl }) };
    await work(await openMemory({ path: memoryPathOf(db), ...place }, opened));
  } finally {
    await opened.close();
  }
}
