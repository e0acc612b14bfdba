import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';
import { duration, sinceStart } from '../model/format.ts';
import { entryText, type JournalTick, journalTicks } from '../model/journal-ticks.ts';
import { oneLine } from '../model/one-line.ts';
import type { RunState } from '../state/studio-state.ts';
import { Fork } from './fork.tsx';
import { Icon } from './icon.tsx';
import { useNow, useWords } from './studio-context.tsx';
import { useUi } from './ui-state.tsx';

/** The run's time axis: every journal entry is a tick, and selecting a tick shows the run at that time. */
export function Time({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const ticks = journalTicks(run.entries);
  const last = run.entries.at(-1)?.seq ?? 0;
  const held = ui.held !== undefined && ui.held < last ? ui.held : undefined;
  const at = held ?? last;
  const waits = run.log.view.open.length > 0 && !run.log.view.end;
  const live = run.following && !waits;
  const point = forkPoint(run, at);
  return (
    <section className="time" aria-label={say.time}>
      <div className="row time-head">
        <span className="b">{last === 0 ? say.time : held === undefined ? say.afterEntry(last) : say.entryOfAll(at, last)}</span>
        {held === undefined ? (
          waits ? (
            <span className="am">{say.waitingFor}</span>
          ) : live ? (
            <span className="pill">{say.live}</span>
          ) : null
        ) : (
          <>
            <span className="t2">{say.lookingBack}</span>
            <button type="button" className="link" onClick={() => change({ held: undefined })} data-act="live">
              {say.backToLive}
            </button>
          </>
        )}
        <span className="t3 grow cut wide-only">
          {held === undefined && last > 1 ? (
            <>
              {say.dragBefore} <kbd>j</kbd> <kbd>k</kbd> {say.dragAfter}
            </>
          ) : null}
        </span>
        {point ? (
          <button type="button" className="btn q small" onClick={() => change({ forking: point })} data-act="fork">
            <Icon name="branch" />
            {say.forkHere}
          </button>
        ) : null}
      </div>
      <Track ticks={ticks} at={at} waits={waits} live={live} onChoose={(seq) => change({ held: seq >= last ? undefined : seq })} />
      <Tail run={run} at={at} live={live && held === undefined} />
      {ui.forking ? <Fork runId={run.id} at={ui.forking} onClose={() => change({ forking: undefined })} /> : null}
    </section>
  );
}

/** Node of an entry, or the nearest earlier node. */
export function forkPoint({ entries }: RunState, at: number): string | undefined {
  return entries.findLast(({ seq, kind }) => seq <= at && kind === 'node')?.key;
}

interface TrackProps {
  readonly ticks: readonly JournalTick[];
  readonly at: number;
  readonly waits: boolean;
  readonly live: boolean;
  onChoose(seq: number): void;
}

function Track({ ticks, at, waits, live, onChoose }: TrackProps): ReactNode {
  const say = useWords();
  const track = useRef<HTMLDivElement>(null);
  const here = ticks.find(({ seq }) => seq === at);
  const drag = (event: PointerEvent): void => {
    const box = track.current?.getBoundingClientRect();
    if (!box || event.buttons === 0) return;
    const place = (event.clientX - box.left) / box.width;
    const nearest = ticks.reduce<JournalTick | undefined>(
      (best, tick) => (best && Math.abs(best.place - place) <= Math.abs(tick.place - place) ? best : tick),
      undefined,
    );
    if (nearest) onChoose(nearest.seq);
  };
  const keys = (event: KeyboardEvent): void => {
    const index = ticks.findIndex(({ seq }) => seq === at);
    const next = { ArrowLeft: ticks[index - 1], ArrowRight: ticks[index + 1], Home: ticks[0], End: ticks.at(-1) }[event.key];
    if (!next) return;
    event.preventDefault();
    onChoose(next.seq);
  };
  return (
    <div
      ref={track}
      className="track"
      role="slider"
      tabIndex={0}
      aria-label={say.time}
      aria-valuemin={1}
      aria-valuemax={ticks.at(-1)?.seq ?? 1}
      aria-valuenow={at}
      aria-valuetext={here ? `${here.seq} ${here.key}` : ''}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag(event);
      }}
      onPointerMove={drag}
      onKeyDown={keys}
    >
      {names(ticks).map(({ name, place, width }) => (
        <span key={`${place}`} className="seg" title={name} style={{ left: `${place * 100}%`, maxWidth: `${width * 100}%` }}>
          {name}
        </span>
      ))}
      {ticks.map((tick) => (
        <i
          key={tick.seq}
          className={`tick ${{ node: 'n', step: 's', wait: 'w', failed: 'f' }[tick.kind]}${tick.seq <= at ? ' l' : ''}`}
          style={{ left: `${tick.place * 100}%` }}
        />
      ))}
      <span className="base" />
      <span className={`base l${waits ? ' w' : ''}`} style={{ width: `${(here?.place ?? 0) * 100}%` }} />
      {here ? <span className={`grab${waits ? ' w' : ''}${live ? ' live-grab' : ''}`} style={{ left: `${here.place * 100}%` }} /> : null}
    </div>
  );
}

/** Minimum width of a name; below about 5 letters a truncated name is useless. */
const minLabelWidth = 0.09;

/** Names of states that fit, above the time spent in them. */
function names(ticks: readonly JournalTick[]): readonly { readonly name: string; readonly place: number; readonly width: number }[] {
  return ticks.flatMap(({ name, place, begins = 0 }) =>
    name === undefined || place - begins < minLabelWidth ? [] : [{ name, place: begins, width: place - begins }],
  );
}

const shownLines = 5;

/** The last lines of the journal, followed by the streaming text, which has no number yet. */
function Tail({ run, at, live }: { readonly run: RunState; readonly at: number; readonly live: boolean }): ReactNode {
  const say = useWords();
  const now = useNow(live);
  const start = run.entries[0]?.at ?? 0;
  const speakers = run.log.live.flatMap(({ node }) => node ?? []);
  const streams = live && speakers.length > 0;
  const lines = run.entries.filter(({ seq }) => seq <= at).slice(streams ? 1 - shownLines : -shownLines);
  return (
    <ol className="jl">
      {lines.map((entry) => (
        <li key={entry.seq} className={entry.seq === at && !streams ? 'cur' : ''}>
          <span className="k">{entry.seq}</span>
          <span>{entry.at - start < 1 ? '' : sinceStart(entry.at - start)}</span>
          <span>{entry.kind}</span>
          <span>{entry.key}</span>
          <span>{oneLine(entryText(entry), 80)}</span>
        </li>
      ))}
      {streams ? (
        <li className="cur">
          <span className="k" />
          <span>{duration(now - start)}</span>
          <span>{say.live}</span>
          <span>{speakers.join(', ')}</span>
          <span>{say.notInJournal}</span>
        </li>
      ) : null}
    </ol>
  );
}
