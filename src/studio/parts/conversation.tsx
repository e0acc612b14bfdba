import { type ReactNode, useEffect, useRef, useState } from 'react';
import { clockTime, counted, shortId, workflowName } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { answerKey, type RunState } from '../state/studio-state.ts';
import { isBusy } from './answer-line.tsx';
import { Composer } from './composer.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Icon } from './icon.tsx';
import { useLanguage, useNow, useStudio, useStudioState, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';
import { Turn } from './turn.tsx';
import { columnClass, useUi } from './ui-state.tsx';
import { Welcome } from './welcome.tsx';

/** Middle column with the thread's questions and answers. */
export function Conversation(): ReactNode {
  const say = useWords();
  const place = useStudioState((state) => state.place);
  const runs = useStudioState((state) => state.runs);
  const { ui, change } = useUi();
  const shown = place.runIds.flatMap((id) => runs[id] ?? []);
  const last = shown.at(-1);
  const scroller = useRef<HTMLDivElement>(null);
  useScrolledTo(scroller, place.threadId, shown);
  return (
    <main className={columnClass(ui, 'talk')}>
      <Head run={last} />
      <NarrowTabs />
      <div className="talk" ref={scroller}>
        {place.loading ? <p className="quiet">{say.loading}</p> : null}
        {place.trouble ? <Trouble error={place.trouble} /> : null}
        {shown.length === 0 && !place.loading && !place.trouble ? <Welcome /> : null}
        {shown.map((run, index) => (
          <ErrorBoundary key={run.question + String(index)} panel="turn">
            <Turn run={run} isLast={run === last} />
          </ErrorBoundary>
        ))}
        {shown.length > 0 ? <div className="spacer" /> : null}
      </div>
      <Disconnected />
      <RateLimit />
      <Composer key={place.threadId ?? place.workflow} run={last} onSent={() => change({ held: undefined })} />
    </main>
  );
}

/** Scrolls a new question to the top. Its answer then grows into empty space, so the text that is being read does not move. */
function useScrolledTo(
  scroller: { readonly current: HTMLDivElement | null },
  threadId: string | undefined,
  runs: readonly RunState[],
): void {
  const count = runs.length;
  const before = useRef({ threadId: '', count: 0 });
  useEffect(() => {
    const at = scroller.current;
    const { current } = before;
    if (!at || count === 0) return;
    const turns = at.querySelectorAll<HTMLElement>('.one-turn');
    const last = turns[turns.length - 1];
    const isNew = current.threadId === threadId && count > current.count;
    before.current = { threadId: threadId ?? '', count };
    if (last && (isNew || current.threadId !== threadId)) at.scrollTop = last.offsetTop - at.offsetTop - 24;
  }, [scroller, threadId, count]);
}

function Head({ run }: { readonly run: RunState | undefined }): ReactNode {
  const place = useStudioState((state) => state.place);
  const say = useWords();
  const { change } = useUi();
  const thread = useStudioState((state) => state.threads.find(({ id }) => id === state.place.threadId));
  return (
    <div className="head">
      <button type="button" className="ib back" aria-label={say.threads} onClick={() => change({ column: 'threads' })}>
        <Icon name="left" />
      </button>
      <h2 className="b cut wide-only">{workflowName(place.workflow ?? '')}</h2>
      <h2 className="b cut grow narrow-only">{thread ? oneLine(thread.title, 120) : workflowName(place.workflow ?? '')}</h2>
      <span className="mono sm t3 cut grow wide-only">
        {run ? [run.info?.id, place.threadId].flatMap((id) => (id ? [shortId(id)] : [])).join(' · ') : ''}
      </span>
      {run ? <RunStatusLine run={run} /> : null}
      <button
        type="button"
        className="ib"
        aria-label={say.commands}
        title={`${say.commands} (⌘K)`}
        onClick={() => change({ palette: true })}
      >
        <Icon name="more" />
      </button>
    </div>
  );
}

function RunStatusLine({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const { view } = run.log;
  const answers = useStudioState((state) => state.answers);
  const waits = view.open[0] && !view.end && !isBusy(answers[answerKey(run.id, view.open[0].id)]);
  const status = waits ? 'waiting' : run.following && !view.end ? 'running' : (run.info?.status ?? 'running');
  const since = view.visits.findLast(({ waits: isWait }) => isWait)?.startedAt ?? run.info?.updatedAt ?? 0;
  const now = useNow(status === 'running' || status === 'waiting', status === 'running' ? 100 : 1_000);
  const at = view.end?.at ?? run.info?.updatedAt ?? 0;
  if (status === 'running') {
    return (
      <span className="row sm ac status" role="status" aria-label={say.running}>
        <span className="live" />
        {say.running} {view.startedAt ? counted(now - view.startedAt) : ''}
      </span>
    );
  }
  if (status === 'waiting' || status === 'in_doubt') {
    return (
      <span className="row sm am status" role="status" aria-label={say.waitingFor}>
        <span className="g am">
          <Icon name={status === 'waiting' ? 'wait' : 'ask'} />
        </span>
        {status === 'waiting' ? say.waitingFor : say.inDoubt} · {counted(now - since).replace(/\.\d/, '')}
      </span>
    );
  }
  const word = {
    done: say.done,
    failed: say.failed,
    cancelled: say.cancelled,
    paused: say.paused,
    queued: say.queued,
  }[status];
  return (
    <span className={`sm status ${status === 'failed' ? 'rd' : 't3'}`} role="status">
      {word} {at > 0 ? clockTime(at, language) : ''}
    </span>
  );
}

function NarrowTabs(): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  return (
    <div className="seg3" role="tablist" aria-label={say.machine}>
      {(['talk', 'machine', 'time'] as const).map((column) => (
        <button key={column} type="button" role="tab" aria-selected={ui.column === column} onClick={() => change({ column })}>
          {{ talk: say.conversation, machine: say.machine, time: say.time }[column]}
        </button>
      ))}
    </div>
  );
}

/** Notice while the server is unreachable. */
function Disconnected(): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const studio = useStudio();
  const lostSince = useStudioState((state) => state.lostSince);
  const entry = useStudioState(({ place, runs }) => runs[place.runIds.at(-1) ?? '']?.entries.at(-1)?.seq ?? 0);
  if (lostSince === undefined) return null;
  return (
    <p className="lost sm rd" role="alert">
      {say.disconnected(clockTime(lostSince, language), entry)}{' '}
      <button type="button" className="link" onClick={() => void studio.look()}>
        {say.retry}
      </button>
    </p>
  );
}

/** Notice while a request is held after a 429. */
function RateLimit(): ReactNode {
  const say = useWords();
  const until = useStudioState(({ heldUntil = 0 }) => heldUntil);
  const [passed, pass] = useState(0);
  const isHeld = until > passed;
  const now = useNow(isHeld, 500);
  useEffect(() => {
    if (now >= until) pass(until);
  }, [now, until]);
  if (!isHeld) return null;
  return (
    <p className="held sm am" role="status">
      {say.rateLimited(Math.max(1, Math.ceil((until - now) / 1000)))}
    </p>
  );
}
