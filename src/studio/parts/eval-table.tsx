import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { EvalDetails, EvalVersion } from '../../server/api/evals.ts';
import { type CaseCell, type CaseRow, type EvalMark, isFailed, shownScore } from '../model/eval-view.ts';
import { own } from '../model/form-of-schema.ts';
import { day } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon } from './icon.tsx';
import { useLanguage, useWords } from './studio-context.tsx';
import { focusLink } from './threads.tsx';
import { evalAddress, useUi } from './ui-state.tsx';

type Filter = 'allCases' | 'changedCases' | 'failedCases';

/** Number of cases to draw at first, because thousands take seconds. */
const firstRows = 200;

interface EvalTableProps {
  readonly details: EvalDetails;
  readonly rows: readonly CaseRow[];
  readonly chosen: string | undefined;
  readonly before: EvalVersion | undefined;
  readonly after: EvalVersion | undefined;
  onPick(pick: { readonly before?: string; readonly after?: string }): void;
}

/** Cases × versions: passed runs, graders below 1, and the change from the version to the left. The chosen version shows that from its base. */
export function EvalTable({ details, rows, chosen, before, after, onPick }: EvalTableProps): ReactNode {
  const say = useWords();
  const { change } = useUi();
  const [filter, setFilter] = useState<Filter>('allCases');
  const [all, setAll] = useState(false);
  const { reports, name, cases, versions } = details;
  const found: Readonly<Record<Filter, readonly CaseRow[]>> = {
    allCases: rows,
    changedCases: rows.filter(({ mark }) => mark !== 'same'),
    failedCases: rows.filter(({ cells }) => cells.some((cell, index) => reports[index] === after && isFailed(cell))),
  };
  const isChosen = (report: EvalVersion | undefined): boolean => report === before || report === after;
  return (
    <>
      <div className="head">
        <button type="button" className="ib back" aria-label={say.evals} onClick={() => change({ column: 'threads' })}>
          <Icon name="left" />
        </button>
        <h2 className="b cut">{oneLine(name, 80)}</h2>
        <span className="t3 cut grow wide-only">{say.casesAndVersions(cases, versions)}</span>
        {before ? <Pick label={say.baseVersion} of={reports} value={before} onPick={(id) => onPick({ before: id })} /> : null}
        {after && before ? <Pick label={say.otherVersion} of={reports} value={after} onPick={(id) => onPick({ after: id })} /> : null}
      </div>
      <div className="evals">
        <Graders reports={reports} before={before} after={after} />
        <fieldset className="picks" aria-label={say.cases}>
          {(['allCases', 'changedCases', 'failedCases'] as const).map((one) => (
            <button
              key={one}
              type="button"
              className={`chip pick${filter === one ? ' on' : ''}`}
              aria-pressed={filter === one}
              onClick={() => setFilter(one)}
            >
              {say[one]} {found[one].length}
            </button>
          ))}
        </fieldset>
        {found[filter].length === 0 ? <p className="quiet">{say.noCases}</p> : null}
        <div className="scroll" onKeyDown={moveInTable}>
          <table className="cases">
            <thead>
              <tr>
                <th scope="col">{say.caseCol}</th>
                <VersionHeads reports={reports} before={before} after={after} />
              </tr>
            </thead>
            <tbody>
              {found[filter].slice(0, all ? undefined : firstRows).map((row) => (
                <tr key={row.name} className={row.name === chosen ? 'on' : ''}>
                  <th scope="row">
                    <a
                      className="row-link"
                      href={evalAddress(details.id, row.name)}
                      aria-current={row.name === chosen ? 'true' : undefined}
                      onClick={() => change({ column: 'machine' })}
                    >
                      {oneLine(row.name, 120)}
                    </a>
                  </th>
                  {row.cells.map((cell, index) => (
                    <td key={reports[index]?.id} className={isChosen(reports[index]) ? '' : 'other'}>
                      <Cell cell={cell} mark={reports[index] === after ? row.mark : cell.mark} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {all || found[filter].length <= firstRows ? null : (
          <button type="button" className="link" onClick={() => setAll(true)}>
            {say.showAll(found[filter].length)}
          </button>
        )}
      </div>
    </>
  );
}

interface PickProps {
  readonly label: string;
  readonly of: readonly EvalVersion[];
  readonly value: EvalVersion;
  onPick(id: string): void;
}

function Pick({ label, of, value, onPick }: PickProps): ReactNode {
  return (
    <label className="version-pick sm">
      <span className="t3">{label}</span>
      <select aria-label={label} value={value.id} onChange={(event) => onPick(event.target.value)}>
        {of.map(({ id, label: name }) => (
          <option key={id} value={id}>
            {oneLine(name, 40)}
          </option>
        ))}
      </select>
    </label>
  );
}

type Chosen = Pick<EvalTableProps, 'before' | 'after'> & { readonly reports: readonly EvalVersion[] };

function VersionHeads({ reports, before, after }: Chosen): ReactNode {
  const language = useLanguage();
  return reports.map((report) => (
    <th key={report.id} scope="col" className={report === before || report === after ? 'b' : 'other'}>
      <span title={visibleText(report.file)}>{oneLine(report.label, 40)}</span>
      <span className="m t3">
        {[oneLine(report.version, 20), report.model && oneLine(report.model, 30), day(report.addedAt, language)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </th>
  ));
}

/** Mean of each grader in each version, with the verdict of the comparison where the file has one. */
function Graders({ reports, before, after }: Chosen): ReactNode {
  const say = useWords();
  const names = [...new Set(reports.flatMap(({ graders }) => graders.map(({ name }) => name)))];
  const shown: Readonly<Record<string, string>> = say.verdicts;
  const verdicts = before && after?.compared?.with === before.id ? after.compared.verdicts : {};
  return (
    <fieldset className="scroll" aria-label={say.graderCol} tabIndex={0}>
      <table className="graders">
        <thead>
          <tr>
            <th scope="col">{say.graderCol}</th>
            <VersionHeads reports={reports} before={before} after={after} />
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{oneLine(name, 80)}</th>
              {reports.map((report) => {
                const grader = report.graders.find((one) => one.name === name);
                const verdict = report === after ? own(verdicts, name) : undefined;
                return (
                  <td key={report.id} className={report === before || report === after ? '' : 'other'}>
                    {grader ? (
                      <span className={grader.ok ? '' : 'rd'} title={grader.ok ? say.meets : say.misses}>
                        {shownScore(grader.mean)} {grader.ok ? '' : `< ${shownScore(grader.threshold)}`}
                      </span>
                    ) : (
                      '–'
                    )}
                    {verdict ? <span className="tagx">{Object.hasOwn(shown, verdict) ? shown[verdict] : oneLine(verdict, 40)}</span> : null}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}

function Cell({ cell, mark }: { readonly cell: CaseCell; readonly mark: EvalMark | undefined }): ReactNode {
  const { runs, passed, scores } = cell;
  if (runs.length === 0) return <span className="t3">–</span>;
  const [icon, colour] =
    passed === runs.length ? (['tick', ''] as const) : passed === 0 ? (['cross', 'rd'] as const) : (['dash', ''] as const);
  const low = scores.filter(({ score }) => score < 1);
  return (
    <>
      <span className={`row ${colour}`}>
        <Icon name={icon} />
        {passed}/{runs.length}
        {mark && mark !== 'same' ? <Mark mark={mark} /> : null}
      </span>
      {low.map(({ grader, score }) => (
        <span key={grader} className="m t3">
          {oneLine(grader, 40)} {shownScore(score)}
        </span>
      ))}
    </>
  );
}

export function Mark({ mark }: { readonly mark: EvalMark }): ReactNode {
  const say = useWords();
  return <span className={`tagx${mark === 'worse' ? ' rd' : ''}`}>{say.marks[mark]}</span>;
}

/** `↓` and `↑` move through the cases; `j` and `k` open the next one. */
function moveInTable(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined || event.altKey || event.metaKey || event.ctrlKey) return;
  const next = focusLink(event, step);
  if (event.key.length === 1) next?.click();
}
