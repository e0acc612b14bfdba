import { type ReactNode, useState } from 'react';
import type { EvalRun, EvalVersion } from '../../server/api/evals.ts';
import { type CaseCell, type CaseRow, foreignEdges, pathView, shownScore } from '../model/eval-view.ts';
import { own } from '../model/form-of-schema.ts';
import { oneLine } from '../model/one-line.ts';
import { visibleText } from '../model/visible-text.ts';
import { CodeText, jsonText } from './code-text.tsx';
import { Mark } from './eval-table.tsx';
import { Icon } from './icon.tsx';
import { Machine } from './machine.tsx';
import { useWords } from './studio-context.tsx';
import { useUi } from './ui-state.tsx';

/** A case in one version. */
interface Side {
  readonly version: EvalVersion;
  readonly cell: CaseCell | undefined;
}

interface EvalCaseProps {
  readonly row: CaseRow;
  /** Absent: the eval has one version. */
  readonly before: Side | undefined;
  readonly after: Side;
}

/** A case in two versions: both paths on the machine, the scores with their reasons, and the outputs side by side. */
export function EvalCase({ row, before, after }: EvalCaseProps): ReactNode {
  const say = useWords();
  const { change } = useUi();
  const [repeat, setRepeat] = useState(0);
  const repeats = Math.max(before?.cell?.runs.length ?? 0, after.cell?.runs.length ?? 0);
  const sides = before ? [before, after] : [after];
  const runs = sides.map(({ cell }) => cell?.runs[repeat]);
  return (
    <>
      <div className="head">
        <button type="button" className="ib back" aria-label={say.cases} onClick={() => change({ column: 'talk' })}>
          <Icon name="left" />
        </button>
        <h2 className="b grow cut">{oneLine(row.name, 120)}</h2>
        {before ? <Mark mark={row.mark} /> : null}
      </div>
      <div className="eval-case">
        {repeats > 1 ? (
          <fieldset className="picks" aria-label={say.repeatRow}>
            <span className="t3 sm">{say.repeatRow}</span>
            {Array.from({ length: repeats }, (_, index) => (
              <button
                key={`repeat ${index + 1}`}
                type="button"
                className={`chip pick${index === repeat ? ' on' : ''}`}
                aria-pressed={index === repeat}
                onClick={() => setRepeat(index)}
              >
                {index + 1}
              </button>
            ))}
          </fieldset>
        ) : null}
        <Paths sides={sides} runs={runs} />
        <Scores sides={sides} runs={runs} />
        <section aria-label={say.outputs}>
          <h3 className="grp-title">{say.outputs}</h3>
          <div className="sides">
            {sides.map(({ version }, index) => (
              <Output key={version.id} version={version} run={runs[index]} />
            ))}
          </div>
        </section>
        <section aria-label={say.path}>
          <h3 className="grp-title">{say.path}</h3>
          <div className="sides">
            {sides.map(({ version }, index) => (
              <ol key={version.id} className="sm mono" aria-label={oneLine(version.label, 40)}>
                {(runs[index]?.path ?? []).map((edge, at) => (
                  <li key={`${at} ${edge}`} className={runs.some((run) => run?.path[at] !== edge) ? 'b' : 't2'}>
                    {oneLine(edge, 200)}
                  </li>
                ))}
              </ol>
            ))}
          </div>
        </section>
      </div>
    </>
  );
}

interface SidesProps {
  readonly sides: readonly Side[];
  /** One for each side. */
  readonly runs: readonly (EvalRun | undefined)[];
}

function Paths({ sides, runs }: SidesProps): ReactNode {
  const say = useWords();
  const graph = sides.findLast(({ version }) => version.graph)?.version.graph;
  const views = runs.map(pathView);
  if (!graph || views.every((view) => view === undefined)) return <p className="quiet">{say.noMoves}</p>;
  const [before, after] = views.length > 1 ? views : [undefined, ...views];
  const labels = sides.map(({ version }) => oneLine(version.label, 30));
  const foreign = runs.flatMap((run) => foreignEdges(run, graph));
  return (
    <>
      {views.length > 1 ? (
        <ul className="legend sm" aria-label={say.path}>
          <Line kind="both" text={say.pathBoth} />
          <Line kind="before" text={say.onlyIn(labels[0] ?? '')} />
          <Line kind="after" text={say.onlyIn(labels[1] ?? '')} />
        </ul>
      ) : null}
      <div className="mach">
        <Machine
          graph={graph}
          view={after ?? noSteps}
          base={views.length > 1 ? (before ?? noSteps) : undefined}
          chosen={undefined}
          onChoose={() => {}}
          label={`${say.machine}: ${labels.join(' / ')}`}
        />
      </div>
      {foreign.length > 0 ? (
        <p className="sm t3">
          {say.foreignEdges} <span className="mono">{foreign.map((edge) => oneLine(edge, 80)).join(', ')}</span>
        </p>
      ) : null}
    </>
  );
}

const noSteps = pathView({ moves: [] });

function Line({ kind, text }: { readonly kind: string; readonly text: string }): ReactNode {
  return (
    <li className="row">
      <svg className="m compared" width="28" height="8" aria-hidden="true">
        <g className={`edge was ${kind}`}>
          <path className="line" d="M0 4H28" />
        </g>
      </svg>
      {text}
    </li>
  );
}

function Scores({ sides, runs }: SidesProps): ReactNode {
  const say = useWords();
  const names = [...new Set(sides.flatMap(({ version }) => version.graders.map(({ name }) => name)))];
  const measures: readonly (readonly [name: string, value: (run: EvalRun) => string | undefined])[] = [
    [say.stepsRow, ({ path }) => String(path.length)],
    [say.model, ({ modelCalls }) => String(modelCalls)],
    [say.tool, ({ calls }) => String(calls.length)],
    [say.tokensCol, ({ usage }) => String(usage.inputTokens + usage.outputTokens)],
    [say.costRow, ({ costUsd }) => (costUsd === undefined ? undefined : `$${shownCost(costUsd)}`)],
  ];
  return (
    <fieldset className="scroll" aria-label={say.scores} tabIndex={0}>
      <table className="scores">
        <thead>
          <tr>
            <th scope="col">{say.scores}</th>
            {sides.map(({ version }) => (
              <th key={version.id} scope="col">
                {oneLine(version.label, 40)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{oneLine(name, 80)}</th>
              {runs.map((run, index) => {
                const found = run && own(run.scores, name);
                return (
                  <td key={sides[index]?.version.id}>
                    {found ? <span className={found.score < 1 ? 'b' : ''}>{shownScore(found.score)}</span> : '–'}
                    {found?.why === undefined ? null : <span className="why t2">{visibleText(found.why)}</span>}
                  </td>
                );
              })}
            </tr>
          ))}
          {measures.map(([name, value]) =>
            runs.some((run) => run && value(run) !== undefined) ? (
              <tr key={name} className="t2">
                <th scope="row">{name}</th>
                {runs.map((run, index) => (
                  <td key={sides[index]?.version.id}>{(run && value(run)) ?? '–'}</td>
                ))}
              </tr>
            ) : null,
          )}
        </tbody>
      </table>
    </fieldset>
  );
}

const shownCost = (usd: number): string => usd.toPrecision(2).replace(/e.*/, '');

function Output({ version, run }: { readonly version: EvalVersion; readonly run: EvalRun | undefined }): ReactNode {
  const say = useWords();
  return (
    <div className="unt">
      <span className="lab">
        {oneLine(version.label, 40)}
        {run?.finalState === undefined ? '' : ` · ${oneLine(run.finalState, 60)}`}
      </span>
      {run?.error ? (
        <p>
          <code className="rd">{visibleText(run.error.code)}</code> {visibleText(run.error.message)}
        </p>
      ) : null}
      {run?.output === undefined ? <p className="t3">{run ? say.noOutput : say.noCase}</p> : <CodeText text={jsonText(run.output)} />}
    </div>
  );
}
