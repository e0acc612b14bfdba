import { type ReactNode, useCallback, useState } from 'react';
import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { ListedRun } from '../../server/api/calls.ts';
import { shortId, workflowName } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { age } from '../model/operations-view.ts';
import { visibleText } from '../model/visible-text.ts';
import { operationWords } from '../model/words/operations.ts';
import { BulkBar } from './bulk-bar.tsx';
import { useLanguage, useStudio, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';
import { useRead } from './use-read.ts';

const pageSize = 50;
/** Limit of the route. */
const maxShown = 200;

interface FleetRunsProps {
  readonly state: FleetState;
  readonly reads: number;
  onChange(): void;
}

/** The newest runs of a state, and what can be done with all of them. */
export function FleetRuns({ state, reads, onChange }: FleetRunsProps): ReactNode {
  const say = useWords();
  const words = operationWords[useLanguage()];
  const studio = useStudio();
  const [code, setCode] = useState('');
  const [limit, setLimit] = useState(pageSize);
  const [selected, setSelected] = useState(false);
  const list = useRead(
    useCallback(() => studio.api.listRuns({ query: { state, limit, ...(code === '' ? {} : { code }) } }), [studio, state, limit, code]),
    reads,
  );
  const runs = list.value?.runs ?? [];
  const codes = [...new Set([code, ...runs.map(({ failure = '' }) => failure)])].filter((one) => one !== '').sort();
  return (
    <section className="fleet-runs" aria-label={words.fleetStates[state]}>
      <div className="row">
        <h3 className="b grow">{words.fleetStates[state]}</h3>
        {codes.length > 0 ? (
          <label className="version-pick">
            <span className="t2">{words.code}</span>
            <select value={code} onChange={(event) => setCode(event.target.value)}>
              <option value="">{words.anyCode}</option>
              {codes.map((one) => (
                <option key={one} value={one}>
                  {visibleText(one)}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      <BulkBar key={code} state={state} code={code} runs={runs} selected={selected} onSelect={setSelected} onChange={onChange} />
      {list.trouble ? (
        <Trouble error={list.trouble}>
          <button type="button" className="btn small" onClick={onChange}>
            {say.retry}
          </button>
        </Trouble>
      ) : null}
      {list.isSlow ? <p className="quiet">{say.reading}</p> : null}
      {list.value && runs.length === 0 ? <p className="quiet">{words.noRuns}</p> : null}
      {runs.length > 0 ? <RunTable runs={runs} selected={selected} /> : null}
      {list.value?.next !== undefined && limit < maxShown ? (
        <button type="button" className="link" onClick={() => setLimit(Math.min(maxShown, limit + pageSize))}>
          {words.more}
        </button>
      ) : null}
    </section>
  );
}

function RunTable({ runs, selected }: { readonly runs: readonly ListedRun[]; readonly selected: boolean }): ReactNode {
  const language = useLanguage();
  const words = operationWords[language];
  const now = Date.now();
  return (
    <fieldset className="scroll" aria-label={words.runs} tabIndex={0}>
      <table className="cases">
        <thead>
          <tr>
            <th scope="col">{words.run}</th>
            <th scope="col">{words.workflow}</th>
            <th scope="col">{words.code}</th>
            <th scope="col">{words.lastChange}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ id, threadId, workflow, failure, parked, updatedAt }) => (
            <tr key={id} data-run={id} className={selected ? 'on' : ''}>
              <th scope="row" className="mono" title={id}>
                {threadId === undefined ? (
                  shortId(id)
                ) : (
                  <a className="link" href={`#/t/${threadId}`}>
                    {shortId(id)}
                  </a>
                )}
              </th>
              <td>{oneLine(workflowName(workflow), 60)}</td>
              <td>
                {(failure ?? parked?.code) === undefined ? '–' : <code className="rd">{visibleText(failure ?? parked?.code ?? '')}</code>}
              </td>
              <td>{words.ago(age(now - updatedAt, language))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}
