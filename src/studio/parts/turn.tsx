import { memo, type ReactNode, useDeferredValue } from 'react';
import { clockTime, duration } from '../model/format.ts';
import { runTotals } from '../model/run-totals.ts';
import type { RunView } from '../model/run-view.ts';
import { visibleText } from '../model/visible-text.ts';
import { answerKey, type RunState } from '../state/studio-state.ts';
import { Answer } from './answer.tsx';
import { Decisions } from './decisions.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Icon } from './icon.tsx';
import { Steps } from './steps.tsx';
import { useLanguage, useStudio, useStudioState, useWords } from './studio-context.tsx';
import { Timeline } from './timeline.tsx';
import { Trouble } from './trouble.tsx';
import { useUi, viewOf } from './ui-state.tsx';

/** A question, the steps of its run, and the answer. */
export const Turn = memo(function Turn({ run, isLast }: { readonly run: RunState; readonly isLast: boolean }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { ui } = useUi();
  const chosen = useStudioState(({ place }) => place.chosen ?? place.runIds.at(-1));
  const held = chosen === run.id ? ui.held : undefined;
  const view = useDeferredValue(viewOf(run, held));
  const isBack = view !== run.log.view && held !== undefined;
  const rests = !run.following;
  const unfinished = !view.end;
  const open = isBack ? view.open : unfinished ? run.log.view.open : [];
  const status = run.info?.status;
  // the summary of an ended run is below its answer; steps that were seen live stay in place
  const showsSteps = view.visits.length > 0 && (unfinished || run.seenLive || isBack);
  return (
    <article className="one-turn" data-run={run.id}>
      <div className="me">{visibleText(run.question)}</div>
      {run.forkOf ? (
        <p className="sm t3">
          <Icon name="branch" /> {say.forked}
        </p>
      ) : null}
      {showsSteps ? <Steps run={run} view={view} /> : null}
      {run.trouble ? (
        <Trouble error={run.trouble}>
          <button type="button" className="btn" onClick={() => void studio.ask(run.question)}>
            {say.again}
          </button>
        </Trouble>
      ) : null}
      <LastAnswer run={run} view={view} />
      {isBack ? null : <Answer run={run} />}
      {view.end || (rests && status !== 'waiting') ? <RunLine run={run} view={view} /> : null}
      {isBack || !isLast ? null : (
        <Decisions
          runId={run.id}
          workflow={run.workflow}
          since={view.lastAt ?? 0}
          interrupts={open}
          inDoubt={rests ? (run.info?.inDoubt ?? []) : []}
        />
      )}
      {isBack || !rests ? null : <StopReason run={run} />}
    </article>
  );
});

/** Shows the last answer, and whether it was given on this page or elsewhere. */
function LastAnswer({ run, view }: { readonly run: RunState; readonly view: RunView }): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const answers = useStudioState((state) => state.answers);
  if (!run.seenLive && !run.log.view.answered.some(({ interrupt }) => answers[answerKey(run.id, interrupt.id)])) return null;
  return view.answered.slice(-1).map(({ interrupt, move }) => (
    <p key={interrupt.id} className="sm t2 taken" role="status">
      <Icon name="tick" />{' '}
      {(answers[answerKey(run.id, interrupt.id)]?.state === 'sent' ? say.sentHere : say.sentElsewhere)(
        move.on,
        clockTime(move.at, language),
      )}
    </p>
  ));
}

/** Summary of a run's cost in one line, which opens the timeline. */
function RunLine({ run, view }: { readonly run: RunState; readonly view: RunView }): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const totals = runTotals(view);
  if (view.visits.length === 0) return null;
  const isOpen = ui.open.has(run.id);
  const toggle = (): void => {
    const open = new Set(ui.open);
    if (!open.delete(run.id)) open.add(run.id);
    change({ open });
  };
  const parts = [
    say.modelCalls(totals.modelCalls),
    totals.toolCalls > 0 ? say.tools(totals.toolCalls) : '',
    totals.reusedCalls > 0 ? say.reusedN(totals.reusedCalls) : '',
    totals.cachedCalls > 0 ? `${totals.cachedCalls} ${say.cached}` : '',
    duration(totals.workMs),
    say.tokens(totals.tokens),
  ];
  return (
    <div>
      <button type="button" className="sum" aria-expanded={isOpen} onClick={toggle} data-act="timeline">
        <Icon name={isOpen ? 'down' : 'right'} />
        {parts.filter(Boolean).join(' · ')}
      </button>
      <ErrorBoundary panel="timeline" resetOn={isOpen}>
        {isOpen ? <Timeline run={run} view={view} /> : null}
      </ErrorBoundary>
    </div>
  );
}

/** Reason why a run has stopped, and the way to continue. */
function StopReason({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { info } = run;
  if (info?.status === 'paused') {
    return (
      <div className="acts">
        <span className="t2">{say.paused}</span>
        <button type="button" className="btn" onClick={() => void studio.act(run.id, 'resume')}>
          {say.resume}
        </button>
        <button type="button" className="btn q" onClick={() => void studio.act(run.id, 'cancel')}>
          {say.stop}
        </button>
      </div>
    );
  }
  const { end } = run.log.view;
  const failure = info?.error ?? (end?.status === 'failed' ? end.error : undefined);
  if (!failure || !info) return null;
  return (
    <Trouble error={failure}>
      {info.status === 'failed' && info.resumable ? (
        <button type="button" className="btn" onClick={() => void studio.act(run.id, 'resume')}>
          {say.resume}
        </button>
      ) : null}
      <button type="button" className="btn" onClick={() => void studio.ask(run.question)}>
        {say.again}
      </button>
    </Trouble>
  );
}
