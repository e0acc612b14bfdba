import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject } from '../index.ts';
import { memoryPathOf } from './database.ts';
import { type Settings, withRemembered } from './settings.ts';

/** Place of a user's memories. */
export interface MemoryOwner extends Pick<Settings, 'store' | 'storeUrl'> {
  readonly path: string;
  readonly user: string;
}

interface OwnerFlags extends Pick<Settings, 'user' | 'store' | 'storeUrl'> {
  readonly db: string;
}

/** Returns the place of the memories of a run: that of the flags, otherwise that of its settings, otherwise beside the database. */
export function memoryOwner({ db, user, store, storeUrl }: OwnerFlags, metadata: JsonObject | undefined, userId: string): MemoryOwner {
  const settings = withRemembered(metadata, { ...(store ? { store } : {}), ...(storeUrl ? { storeUrl } : {}) });
  const place = settings.storeUrl === undefined ? {} : { storeUrl: settings.storeUrl };
  return {
    path: resolve(settings.memory ?? memoryPathOf(db)),
    user: user ?? userId,
    ...(settings.store === 'chroma' ? { store: settings.store, ...place } : {}),
  };
}

export const isThere = ({ store, path }: MemoryOwner): boolean => store === 'chroma' || existsSync(path);
