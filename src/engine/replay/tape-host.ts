import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import type { Host, Outcome } from '../drive/host.ts';
import { outcomeOf } from '../drive/outcome-of.ts';
import type { RunInspection } from '../drive/run-inspection.ts';
import type { StoredRun } from '../run/stored-runs.ts';

/** Creates a host that returns the journaled outcomes and starts no node except sub-workflows. */
export function tapeHost(
  { record }: StoredRun,
  outcomes: ReadonlyMap<string, JournalEntry>,
  clock: Clock,
  inspection: RunInspection,
): { readonly host: Host; ended(): Promise<void> } {
  const inside: Promise<unknown>[] = [];
  const host: Host = {
    runId: record.id,
    startedAt: record.startedAt,
    clock,
    inspection,
    step(_key, work, _stop, nested) {
      if (nested) inside.push(work());
      return never;
    },
    memo: () => Promise.reject(atEnd),
    recorded: () => [],
    waitEvent: () => never,
    sleep: () => never,
    async next(pending) {
      const [first] = [...pending.keys()].flatMap((key) => outcomes.get(key) ?? []).sort((a, b) => a.seq - b.seq);
      if (!first) throw atEnd;
      return [first.key, deepFreeze(outcomeOf(first))];
    },
    emit() {},
    attempt: () => 1,
  };
  return {
    host,
    async ended() {
      for (const work of inside) await work;
    },
  };
}

const never: Promise<Outcome> = new Promise(() => {});

const atEnd = new WorkflowError({ code: 'RUN_SUSPENDED', message: 'The journal ends here.' });

export function assertSameMachine({ record }: StoredRun, { id, version, structureHash }: AnyWorkflow): void {
  if (record.workflow === id && record.structure === structureHash) return;
  throw new WorkflowError({
    code: 'JOURNAL_OF_OTHER_MACHINE',
    message: `The run ${record.id} belongs to ${record.workflow} ${record.version}, not to ${id} ${version}.`,
    hint: 'Pass the workflow in the version that started the run.',
    data: { runId: record.id, workflow: record.workflow, version: record.version },
  });
}
