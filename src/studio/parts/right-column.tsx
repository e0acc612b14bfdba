import type { ReactNode } from 'react';
import { clockTime, duration, workflowName } from '../model/format.ts';
import { walkView } from '../model/walk-view.ts';
import type { RunState } from '../state/studio-state.ts';
import { CodeText, jsonText } from './code-text.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Icon } from './icon.tsx';
import { Journal } from './journal.tsx';
import { Machine } from './machine.tsx';
import { Sources } from './sources.tsx';
import { useLanguage, useStudioState, useWords } from './studio-context.tsx';
import { Time } from './time.tsx';
import { columnClass, type Tab, tabs, useUi, viewOf } from './ui-state.tsx';
import { Walk, walkedVerdict } from './walk.tsx';
import { YourTurn } from './your-turn.tsx';

/** Right column: the machine, the sources, waiting runs and the journal. */
export function RightColumn(): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const count = useStudioState(({ waiting }) =>
    waiting.reduce((sum, { interrupts, inDoubt }) => sum + interrupts.length + inDoubt.length, 0),
  );
  const more = useStudioState(({ moreWaits }) => moreWaits);
  const run = useStudioState(({ runs, place }) => runs[place.chosen ?? ''] ?? runs[place.runIds.at(-1) ?? '']);
  const names: Readonly<Record<Tab, string>> = { machine: say.machine, sources: say.sources, turn: say.turnTab, journal: say.journal };
  return (
    <aside className={`${columnClass(ui, 'machine')} show-${ui.column}`} aria-label={names[ui.tab]}>
      <div className="head">
        <button type="button" className="ib back" aria-label={say.conversation} onClick={() => change({ column: 'talk' })}>
          <Icon name="left" />
        </button>
        <div className="tabs grow" role="tablist" aria-label={say.machine}>
          {tabs.map((tab) => (
            <button
              key={tab}
              type="button"
              role="tab"
              id={`tab-${tab}`}
              aria-controls="panel"
              aria-selected={ui.tab === tab}
              tabIndex={ui.tab === tab ? 0 : -1}
              className={`tab${ui.tab === tab ? ' on' : ''}`}
              onClick={() => change({ tab })}
              onKeyDown={(event) => turnTab(event.key, tab, (next) => change({ tab: next }))}
            >
              {names[tab]}
              {tab === 'turn' && count > 0 ? <span className="badge">{more ? `${count}+` : count}</span> : null}
            </button>
          ))}
        </div>
      </div>
      <div className="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${ui.tab}`}>
        <ErrorBoundary panel={ui.tab} resetOn={`${ui.tab} ${run?.id}`}>
          {ui.tab === 'machine' ? <MachineTab run={run} /> : null}
          {ui.tab === 'sources' ? <Sources run={run} /> : null}
          {ui.tab === 'turn' ? <YourTurn /> : null}
          {ui.tab === 'journal' ? <Journal run={run} /> : null}
        </ErrorBoundary>
      </div>
    </aside>
  );
}

function turnTab(key: string, tab: Tab, choose: (tab: Tab) => void): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  const next = step === undefined ? undefined : tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
  if (!next) return;
  choose(next);
  document.getElementById(`tab-${next}`)?.focus();
}

function MachineTab({ run }: { readonly run: RunState | undefined }): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const workflow = useStudioState(({ place }) => place.workflow);
  const details = useStudioState((state) => state.details[ui.walk?.workflow ?? run?.workflow ?? workflow ?? '']);
  const verdict = useStudioState((state) => walkedVerdict(state, ui.walk));
  const view = ui.walk && verdict?.way ? walkView(verdict.way, ui.walk.step) : run && viewOf(run, ui.held);
  return (
    <>
      <div className="mach">
        {details ? (
          <Machine
            graph={details.graph}
            view={view}
            chosen={ui.node}
            onChoose={(node) => change({ node })}
            label={`${say.machine}: ${workflowName(details.id)}`}
          />
        ) : (
          <p className="quiet">{say.noGraph}</p>
        )}
        {ui.node && details ? <NodeCard run={run} path={ui.node} /> : null}
      </div>
      {verdict ? <Walk /> : run ? <Time run={run} /> : null}
    </>
  );
}

/** Details of the selected state: its purpose, its transitions and its visits. */
function NodeCard({ run, path }: { readonly run: RunState | undefined; readonly path: string }): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const { ui, change } = useUi();
  const state = useStudioState(({ details, place }) =>
    details[run?.workflow ?? place.workflow ?? '']?.graph.states.find((one) => one.path === path),
  );
  if (!state) return null;
  const view = run && viewOf(run, ui.held);
  const visits = view?.visits.filter((visit) => visit.state === path && !visit.inner) ?? [];
  return (
    <section className="node-card" aria-live="polite" aria-label={path}>
      <div className="row">
        <h3 className="mono b grow cut">{path}</h3>
        <span className="sm t3">{say.kinds[state.kind]}</span>
        <button type="button" className="ib" aria-label={say.close} onClick={() => change({ node: undefined })}>
          <Icon name="cross" />
        </button>
      </div>
      {state.description ? <p className="t2">{state.description}</p> : null}
      {state.edges.length > 0 ? (
        <ul className="sm mono edges">
          {state.edges.map((edge, index) => {
            const times = view?.moves.filter(({ from, on, guard }) => from === path && on === edge.on && guard === edge.guard).length ?? 0;
            return (
              <li key={`${index} ${edge.on} ${edge.guard}`} className={times > 0 ? 'ac' : 't3'}>
                {edge.on}
                {edge.guard ? ` [${edge.guard}]` : ''} → {edge.target ?? path}
                {times > 1 ? ` ×${times}` : ''}
              </li>
            );
          })}
        </ul>
      ) : null}
      <p className="sm t3">{visits.length > 0 ? say.visits(visits.length) : say.never}</p>
      {visits.map((visit) => {
        const entry = run?.entries.find(({ key, kind }) => key === visit.key && (kind === 'node' || kind === 'event'));
        return (
          <details key={visit.key} className="visit">
            <summary className="sm">
              <span className="mono">{visit.key}</span> · {clockTime(visit.startedAt, language)} · {duration(visit.durationMs ?? 0)}
              {visit.left ? ` · ${visit.left.guard ?? visit.left.on} → ${visit.left.to}` : ''}
            </summary>
            {entry ? (
              <div className="unt">
                <CodeText text={jsonText(entry.outcome)} />
              </div>
            ) : null}
          </details>
        );
      })}
    </section>
  );
}
