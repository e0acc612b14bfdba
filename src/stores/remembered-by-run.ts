import type { Json, JsonObject } from '../ports/json.ts';
import type { JournalEntry } from '../ports/run-store.ts';
import { isObject } from '../util/is-object.ts';

/** What a run has kept of a user beyond its conversation. */
export interface RememberedByRun {
  readonly userId: string;
  /** Names of memories, each once. */
  readonly ids: readonly string[];
}

/** Who is meant where a run names nobody. */
const defaultUser = 'local';

/** A run as it was begun. */
export interface BegunRun {
  readonly input: Json;
  readonly metadata?: JsonObject | undefined;
}

/**
 * What the steps of a run have answered to have remembered: `{ id, remembered }`, as the tool `write_memory` answers, at any depth. The user
 * is the one that the run's input names, else its settings, else `local`.
 */
export function rememberedByRun({ input, metadata }: BegunRun, entries: readonly JournalEntry[]): RememberedByRun {
  const ids = entries.flatMap(({ kind, outcome }) => (kind === 'step' ? idsIn(outcome) : []));
  const settings = metadata?.settings;
  const named = [isObject(input) ? input.userId : undefined, isObject(settings) ? settings.user : undefined];
  return { userId: named.find((name) => typeof name === 'string') ?? defaultUser, ids: [...new Set(ids)] };
}

function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (!isObject(value)) return [];
  const own = typeof value.id === 'string' && typeof value.remembered === 'string' && /^m_[0-9a-f]{28}$/.test(value.id) ? [value.id] : [];
  return [...own, ...Object.values(value).flatMap(idsIn)];
}
