import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { driveOf } from '../drive/drive-of.ts';
import { migrationOf } from '../drive/migrated.ts';
import { endsWait } from '../journal/journal-index.ts';
import type { PatchedResult } from '../journal/patched-result.ts';
import { patchOutput } from './fork-entries.ts';
import { readResult } from './read-result.ts';
import { runPosition } from './run-position.ts';
import type { RuntimeCore } from './runtime-core.ts';
import type { StoredRun } from './stored-runs.ts';

/**
 * Replaces fields in the result of the node that ended last, and tries that the machine takes the new result. Writes nothing.
 *
 * @throws {WorkflowError} `PATCH_REFUSED` with the reason; `VALUE_NOT_JSON`.
 */
export async function patchLast(core: RuntimeCore, stored: StoredRun, patch: JsonObject): Promise<PatchedResult> {
  const { entries } = stored;
  const at = entries.findLastIndex(({ kind, key }) => endsWait(kind) && driveOf(key) === '');
  const last = entries[at];
  if (entries.findLastIndex(migrationOf) > at) throw refused(stored, 'it has moved to another version of its workflow after the last node');
  const output = last && outputOf(last);
  if (!last || !output) throw refused(stored, why(last));
  const { key } = last;
  const later = entries.slice(at + 1).find((entry) => entry.kind === 'step' || entry.kind === 'intent' || endsWait(entry.kind));
  if (later) throw refused(stored, `"${later.key}" was recorded after "${key}", with the old result`);
  const given = patchOutput(output, patch);
  const before = entries.slice(0, at).filter((entry) => entry.kind !== 'node' || entry.key !== key); // an earlier retry may have patched it
  const workflow = await core.workflowOf(stored);
  try {
    const outcome = { output: await readResult(core, workflow, { ...stored, entries: before }, { key, output: given }) };
    const changed = { ...stored, entries: entries.with(at, { ...last, outcome }) };
    const { told } = await runPosition(core.store, core.clock, workflow, changed);
    return { key, outcome, fields: Object.keys(patch), told };
  } catch (cause) {
    if (hasCode(cause, 'STORE_UNAVAILABLE', 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) throw cause;
    const { code, message } = toErrorInfo(cause);
    throw refused(stored, `the machine does not take the new result of "${key}": ${code}: ${message.replace(/\.$/, '')}`, cause);
  }
}

const outputOf = ({ kind, outcome }: JournalEntry): JsonObject | undefined =>
  kind === 'node' ? (outcome as { readonly output?: JsonObject }).output : undefined;

function why(last: JournalEntry | undefined): string {
  if (!last) return 'no node has ended';
  if (last.kind === 'node') return `the node "${last.key}" failed, so it has no result`;
  return `the machine has received "${last.key}" after the last node`;
}

const refused = ({ record: { id: runId } }: StoredRun, reason: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'PATCH_REFUSED',
    message: `The run ${runId} cannot continue with this patch: ${reason}.`,
    hint: 'Retry without a patch, or fork the run with the patch at a node of your choice.',
    data: { runId, reason },
    cause,
  });
