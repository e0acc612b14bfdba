import { type ReactNode, useState } from 'react';
import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { BulkRuns, Calls, ListedRun } from '../../server/api/calls.ts';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import { toFailure } from '../api/to-failure.ts';
import { shortId } from '../model/format.ts';
import { actionsOf, isSameList, type OperationAction } from '../model/operations-view.ts';
import { visibleText } from '../model/visible-text.ts';
import { operationWords } from '../model/words/operations.ts';
import { focused } from './focused.ts';
import { useLanguage, useStudio } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';

type BulkResult = Calls['bulkRuns']['answer'];

interface Plan {
  readonly action: OperationAction;
  readonly runIds: readonly string[];
  /** True if the runs have changed between the dry run and its confirmation. */
  readonly moved: boolean;
}

interface BulkBarProps {
  readonly state: FleetState;
  /** Empty: all codes. */
  readonly code: string;
  readonly runs: readonly ListedRun[];
  readonly selected: boolean;
  onSelect(selected: boolean): void;
  onChange(): void;
}

/** Selects all shown runs, plans an action on them by a dry run, and executes it after a confirmation. */
export function BulkBar({ state, code, runs, selected, onSelect, onChange }: BulkBarProps): ReactNode {
  const words = operationWords[useLanguage()];
  const bulk = useBulk({ state, ...(code === '' ? {} : { code }) }, () => {
    onSelect(false);
    onChange();
  });
  const { plan, result, trouble, busy } = bulk;
  const actions = actionsOf(state);
  const select = (next: boolean): void => {
    bulk.clear();
    onSelect(next);
  };
  return (
    <div className="bulk" aria-busy={busy}>
      {actions.length > 0 && runs.length > 0 ? (
        <div className="row">
          <label className="row">
            <input type="checkbox" checked={selected} disabled={busy} onChange={(event) => select(event.target.checked)} />
            {words.selectShown(runs.length)}
          </label>
          {selected && !plan
            ? actions.map((action) => (
                <button
                  key={action}
                  type="button"
                  className="btn small"
                  data-act={`dry-${action}`}
                  disabled={busy}
                  onClick={() => void bulk.check(action, runs)}
                >
                  {words.dryRun[action]}
                </button>
              ))
            : null}
        </div>
      ) : null}
      {plan && selected ? <PlanBox plan={plan} busy={busy} onConfirm={() => void bulk.execute(plan)} onBack={() => select(false)} /> : null}
      {busy ? <p className="t2">{words.working}</p> : null}
      {trouble ? <Trouble error={trouble} /> : null}
      {result ? <Outcome result={result} /> : null}
    </div>
  );
}

interface Bulk {
  readonly plan?: Plan | undefined;
  readonly result?: BulkResult | undefined;
  readonly trouble?: ApiFailure | undefined;
  readonly busy: boolean;
}

function useBulk(
  where: BulkRuns['where'],
  onDone: () => void,
): Bulk & { check(action: OperationAction, runs: readonly ListedRun[]): Promise<void>; execute(plan: Plan): Promise<void>; clear(): void } {
  const { api } = useStudio();
  const [bulk, setBulk] = useState<Bulk>({ busy: false });
  const send = (action: OperationAction, ids: readonly string[], dryRun: boolean): Promise<BulkResult> =>
    api.bulkRuns({ body: { action, where, dryRun, limit: Math.max(1, ids.length), ...(ids[0] === undefined ? {} : { from: ids[0] }) } });
  const attempt = async (work: () => Promise<Omit<Bulk, 'busy'>>): Promise<void> => {
    setBulk((now) => ({ ...now, trouble: undefined, busy: true }));
    try {
      setBulk({ ...(await work()), busy: false });
    } catch (cause) {
      setBulk({ trouble: toFailure(cause), busy: false });
    }
  };
  return {
    ...bulk,
    clear: () => setBulk({ busy: false }),
    check: (action, runs) =>
      attempt(async () => {
        const ids = runs.map(({ id }) => id);
        return { plan: { action, runIds: (await send(action, ids, true)).runIds, moved: false } };
      }),
    execute: ({ action, runIds }) =>
      attempt(async () => {
        // the filter alone could match older runs in place of those that have moved on
        const now = await send(action, runIds, true);
        if (!isSameList(now.runIds, runIds)) return { plan: { action, runIds: now.runIds, moved: true } };
        const result = await send(action, runIds, false);
        onDone();
        return { result };
      }),
  };
}

interface PlanBoxProps {
  readonly plan: Plan;
  readonly busy: boolean;
  onConfirm(): void;
  onBack(): void;
}

function PlanBox({ plan: { action, runIds, moved }, busy, onConfirm, onBack }: PlanBoxProps): ReactNode {
  const words = operationWords[useLanguage()];
  const count = runIds.length;
  return (
    <section className="bulk-plan" aria-label={words.dryRun[action]} ref={focused} tabIndex={-1}>
      {moved ? <p className="am">{words.moved}</p> : null}
      <p>{count === 0 ? words.nothing : words.would[action](count)}</p>
      <p className="mono sm t2">{runIds.map(shortId).join(' ')}</p>
      <div className="row">
        {count > 0 ? (
          <button
            type="button"
            className={`btn ${action === 'cancel' ? 'danger' : 'p'}`}
            data-act={`confirm-${action}`}
            disabled={busy}
            onClick={onConfirm}
          >
            {words.confirm[action](count)}
          </button>
        ) : null}
        <button type="button" className="btn" disabled={busy} onClick={onBack}>
          {words.back}
        </button>
      </div>
    </section>
  );
}

/** Counts of an action, and each run that was skipped or has failed with its reason. */
function Outcome({ result: { outcomes } }: { readonly result: BulkResult }): ReactNode {
  const words = operationWords[useLanguage()];
  const of = (result: 'done' | 'skipped' | 'failed'): number => outcomes.filter((one) => one.result === result).length;
  return (
    <div className="bulk-result" role="status" ref={focused} tabIndex={-1}>
      <p className="b">{words.result(of('done'), of('skipped'), of('failed'))}</p>
      <ul className="sm">
        {outcomes
          .filter(({ result }) => result !== 'done')
          .map(({ runId, result, error }) => (
            <li key={runId} data-outcome={runId}>
              <span className="mono" title={runId}>
                {shortId(runId)}
              </span>{' '}
              <span className={result === 'failed' ? 'rd' : 'am'}>{words.results[result]}</span>{' '}
              {error ? (
                <>
                  <code>{visibleText(error.code)}</code> {visibleText(error.message)} {visibleText(error.hint ?? '')}
                </>
              ) : null}
            </li>
          ))}
      </ul>
    </div>
  );
}
