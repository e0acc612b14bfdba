import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { isObject } from '../../core/util/is-object.ts';

/** Memories that a run has stored about a user outside its conversation. */
export interface RunMemories {
  readonly userId: string;
  /** Unique ids of memories. */
  readonly ids: readonly string[];
}

const defaultUser = 'local';

/** Start data of a run. */
export interface StartedRun {
  readonly input: Json;
  readonly metadata?: JsonObject | undefined;
}

/**
 * Returns the memories that the steps of a run have stored. Collects each `{ id, remembered }` in an answer, at any depth, as the tool
 * `write_memory` returns it. The user comes from the run's input, else from its settings, else it is `local`.
 */
export function rememberedByRun({ input, metadata }: StartedRun, entries: readonly JournalEntry[]): RunMemories {
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
