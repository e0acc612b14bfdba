import { WorkflowError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { StoredEvent } from '../../core/ports/run-event.ts';
import type { EntryKind, JournalEntry } from '../../core/ports/run-store.ts';
import { toJson } from '../../core/util/to-json.ts';
import { migrationOf } from '../drive/migrated.ts';
import type { ForkOptions } from './runtime.ts';

/** Kinds of entries that belong to one run. A fork writes its own. */
const ownKinds: ReadonlySet<EntryKind> = new Set<EntryKind>(['start', 'settle', 'limits', 'offer']);

/**
 * Returns the entries that a fork keeps: everything before the node `at`, and with a patch the changed node itself. They are numbered from
 * 2, after the fork's own `start`.
 *
 * @param check Checks the patched result of a node that ran after these entries.
 * @throws {WorkflowError} `FORK_POINT_UNKNOWN`, `FORK_REPEATS_EFFECT`, `VALUE_NOT_JSON`, and the errors of `check`.
 */
export async function forkEntries(
  runId: string,
  entries: readonly JournalEntry[],
  { at, patch, repeatOnce = false }: ForkOptions,
  check: (kept: readonly JournalEntry[], result: { readonly key: string; readonly output: JsonObject }) => Promise<JsonObject>,
): Promise<readonly JournalEntry[]> {
  // a fork cannot start before a migration, where the machine was another one
  const own = entries.slice(entries.findLastIndex(migrationOf) + 1);
  const point = own.find(({ kind, key }) => kind === 'node' && key === at);
  if (!point) {
    const nodes = [...new Set(own.filter(({ kind }) => kind === 'node').map(({ key }) => key))];
    throw new WorkflowError({
      code: 'FORK_POINT_UNKNOWN',
      message: `The run ${runId} has no finished node "${at}".`,
      hint: `Fork at one of ${nodes.join(', ')}.`,
      data: { runId, nodes },
    });
  }
  const isKept = (entry: JournalEntry): boolean => {
    const { kind, key, seq } = entry;
    return (
      (!ownKinds.has(kind) || migrationOf(entry) !== undefined) && seq < point.seq && (patch !== undefined || !key.startsWith(`${at}/`))
    );
  };
  const copied: JournalEntry[] = [];
  let events: readonly StoredEvent[] = [];
  for (const entry of entries.slice(1, entries.indexOf(point))) {
    // the replay emits again the events of a pause or wait in between
    events = [...events, ...entry.events.filter(({ type }) => type !== 'run-end')];
    if (!isKept(entry)) continue;
    copied.push({ ...entry, events });
    events = [];
  }
  const dropped = entries.filter((entry) => entry.kind === 'intent' && !isKept(entry)).map(({ key }) => key);
  if (dropped.length > 0 && !repeatOnce) {
    throw new WorkflowError({
      code: 'FORK_REPEATS_EFFECT',
      message: `A fork at "${at}" may repeat calls that must happen once: ${dropped.join(', ')}.`,
      hint: 'Fork at a later node, or pass repeatOnce: true if the calls are safe to repeat.',
      data: { runId, calls: dropped },
    });
  }
  const kept = copied.map((entry, index) => ({ ...entry, seq: index + 2 }));
  if (patch === undefined) return kept;
  const latest = own.findLast(({ kind, key }) => kind === 'node' && key === at) ?? point; // a retry may have changed the result
  const output = await check(kept, { key: at, output: patchedOutput(latest, patch) });
  return [...kept, { ...point, seq: kept.length + 2, events: [...events, ...point.events], outcome: { output } }];
}

/** Copies of the kept entries, as the fork writes them. `events` is the number of the fork's own events so far. */
export function copyEntries(copied: readonly JournalEntry[], events: number, at: number): readonly JournalEntry[] {
  let seq = events;
  return copied.map((entry) => ({ ...entry, events: entry.events.map((event) => ({ ...event, seq: ++seq })), epoch: 1, at }));
}

/** @throws {WorkflowError} `VALUE_NOT_JSON`. */
export const patchOutput = (output: JsonObject, patch: JsonObject): JsonObject => ({
  ...output,
  ...(toJson(patch, 'patch') as JsonObject),
});

function patchedOutput({ key, outcome }: JournalEntry, patch: JsonObject): JsonObject {
  const { output } = outcome as { readonly output?: JsonObject };
  if (output) return patchOutput(output, patch);
  throw new WorkflowError({
    code: 'FORK_POINT_UNKNOWN',
    message: `The node "${key}" failed, so there is no result to patch.`,
    hint: 'Fork without a patch to run it again.',
  });
}
