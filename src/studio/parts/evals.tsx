import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { EvalDetails, EvalList, EvalVersion } from '../../server/api/evals.ts';
import { caseRows } from '../model/eval-view.ts';
import { clockTime, day, daysAgo, workflowName } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { visibleText } from '../model/visible-text.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { EvalCase } from './eval-case.tsx';
import { EvalTable } from './eval-table.tsx';
import { Icon } from './icon.tsx';
import { useLanguage, useStudio, useWords } from './studio-context.tsx';
import { Foot, moveInList } from './threads.tsx';
import { Trouble } from './trouble.tsx';
import { columnClass, type EvalPlace, evalAddress, useUi } from './ui-state.tsx';
import { type Reading, useRead } from './use-read.ts';
import '../styles/evals.css';

/** The evals: their list, the cases of one in its versions, and both paths of a case. */
// biome-ignore lint/style/noDefaultExport: React loads the default export of a lazy part
export default function Evals({ place }: { readonly place: EvalPlace }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { ui } = useUi();
  const [reads, setReads] = useState(0);
  const list = useRead(
    useCallback(() => studio.api.listEvals(), [studio]),
    reads,
  );
  const id = place.id ?? list.value?.evals[0]?.id;
  const details = useRead(
    useCallback(() => (id === undefined ? undefined : studio.api.getEval({ params: { id } })), [studio, id]),
    reads,
  );
  return (
    <>
      <List list={list} chosen={id} onRead={() => setReads(reads + 1)} />
      {details.value ? (
        <Versions key={details.value.id} details={details.value} chosen={place.case} />
      ) : (
        <section className={`${columnClass(ui, 'talk')} wide`} aria-label={say.evals}>
          <Head />
          {details.trouble ? <Pad>{<Trouble error={details.trouble} />}</Pad> : null}
          {list.value?.evals.length === 0 ? <NoEvals /> : null}
          {details.isSlow || list.isSlow ? <p className="quiet">{say.reading}</p> : null}
        </section>
      )}
    </>
  );
}

const Pad = ({ children }: { readonly children: ReactNode }): ReactNode => <div className="pad">{children}</div>;

function Head(): ReactNode {
  const say = useWords();
  const { change } = useUi();
  return (
    <div className="head">
      <button type="button" className="ib back" aria-label={say.evals} onClick={() => change({ column: 'threads' })}>
        <Icon name="left" />
      </button>
      <h2 className="b grow">{say.evals}</h2>
    </div>
  );
}

function NoEvals(): ReactNode {
  const say = useWords();
  return (
    <p className="quiet">
      {say.evalsEmpty}
      <br />
      {say.evalsHint} <code>agent-machines eval FILE --json &gt; FOLDER/REPORT.json</code>
    </p>
  );
}

interface ListProps {
  readonly list: Reading<EvalList>;
  readonly chosen: string | undefined;
  onRead(): void;
}

function List({ list: { value, trouble }, chosen, onRead }: ListProps): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const { ui, change } = useUi();
  const { evals = [], refused = [], older = 0 } = value ?? {};
  return (
    <nav className={columnClass(ui, 'threads')} aria-label={say.evals}>
      <div className="head">
        <a className="ib" href="#/" aria-label={say.threads} title={say.threads}>
          <Icon name="left" />
        </a>
        <h1 className="b grow">{say.evals}</h1>
        <button type="button" className="ib" aria-label={say.readAgain} title={say.readAgain} onClick={onRead}>
          <Icon name="again" />
        </button>
      </div>
      <div className="list" onKeyDown={moveInList} tabIndex={-1}>
        {trouble ? <Pad>{<Trouble error={trouble} />}</Pad> : null}
        <ul className="eval-list">
          {evals.map(({ id, name, workflow, cases, versions, ok, updatedAt }) => (
            <li key={id} className={`th${id === chosen ? ' on' : ''}`}>
              <a
                className="row-link"
                href={evalAddress(id)}
                aria-current={id === chosen ? 'page' : undefined}
                onClick={() => change({ column: 'talk' })}
              >
                <span className={ok ? 'g' : 'g rd'} title={ok ? say.meets : say.misses}>
                  <Icon name={ok ? 'tick' : 'cross'} />
                </span>
                <span className="q cut" title={visibleText(`${name}\n${workflowName(workflow)}`)}>
                  {oneLine(name, 120)}
                </span>
                <span />
                <span className="m">
                  {say.casesAndVersions(cases, versions)} ·{' '}
                  {daysAgo(updatedAt, Date.now()) > 0 ? day(updatedAt, language) : clockTime(updatedAt, language)}
                </span>
              </a>
            </li>
          ))}
        </ul>
        {older > 0 ? <p className="quiet sm">{say.olderFiles(older)}</p> : null}
        {refused.length > 0 ? (
          <section aria-label={say.refusedFiles}>
            <h2 className="grp-title">
              {say.refusedFiles} · {refused.length}
            </h2>
            <ul className="refused sm">
              {refused.map(({ file, code, message, hint }) => (
                <li key={file}>
                  <span className="b">{oneLine(file, 80)}</span>
                  <br />
                  {visibleText(message)} {hint ? visibleText(hint) : ''} <code className="t3">{visibleText(code)}</code>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
      </div>
      <Foot />
    </nav>
  );
}

/** An eval. The last two versions are compared first. */
function Versions({ details, chosen }: { readonly details: EvalDetails; readonly chosen: string | undefined }): ReactNode {
  const say = useWords();
  const { ui } = useUi();
  const { reports } = details;
  const [picked, setPicked] = useState<{ readonly before?: string; readonly after?: string }>({});
  const find = (id: string | undefined): EvalVersion | undefined => reports.find((one) => one.id === id);
  const after = find(picked.after) ?? reports.at(-1);
  const before = find(picked.before) ?? reports[reports.length - 2];
  const rows = useMemo(() => caseRows(reports, before, after), [reports, before, after]);
  const row = rows.find(({ name }) => name === chosen) ?? rows[0];
  return (
    <>
      <ErrorBoundary panel="cases" className={columnClass(ui, 'talk')} resetOn={details}>
        <section className={columnClass(ui, 'talk')} aria-label={say.cases}>
          <EvalTable
            details={details}
            rows={rows}
            chosen={row?.name}
            before={before}
            after={after}
            onPick={(more) => setPicked({ ...picked, ...more })}
          />
        </section>
      </ErrorBoundary>
      <ErrorBoundary panel="case" className={columnClass(ui, 'machine')} resetOn={`${row?.name} ${before?.id} ${after?.id}`}>
        <aside className={columnClass(ui, 'machine')} aria-label={say.caseCol}>
          {row && after ? (
            <EvalCase
              key={row.name}
              row={row}
              before={before && { version: before, cell: row.cells[reports.indexOf(before)] }}
              after={{ version: after, cell: row.cells[reports.indexOf(after)] }}
            />
          ) : null}
        </aside>
      </ErrorBoundary>
    </>
  );
}
