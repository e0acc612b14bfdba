import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { duration } from '../model/format.ts';
import { runTotals } from '../model/run-totals.ts';
import type { RunView, ToolView } from '../model/run-view.ts';
import { type Timeline as Rows, type TimelineRow, timelineRows } from '../model/timeline-rows.ts';
import { visibleText } from '../model/visible-text.ts';
import type { RunState } from '../state/studio-state.ts';
import { CodeText, jsonText, storedText } from './code-text.tsx';
import { Icon } from './icon.tsx';
import { glyphOf } from './steps.tsx';
import { useNow, useWords } from './studio-context.tsx';

/** Active times of a run's nodes on one axis, with tool calls below their nodes. */
export function Timeline({ run, view }: { readonly run: RunState; readonly view: RunView }): ReactNode {
  const say = useWords();
  const running = run.following && !view.end && view.open.length === 0;
  const now = useNow(running, 200);
  const timeline = timelineRows(view, running ? now : undefined);
  const totals = runTotals(view);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' }); // the timeline opens at the end of the page
  }, []);
  if (timeline.rows.length === 0) return <p className="quiet">{say.noNode}</p>;
  return (
    <div className="tl" ref={place}>
      <div className="tr axis">
        <span />
        <span />
        <span className="bar">
          {marks(timeline.totalMs).map((ms) => (
            <u key={ms} style={{ left: `${(ms / timeline.totalMs) * 100}%` }}>
              {ms === 0 ? '0' : ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`}
            </u>
          ))}
        </span>
        <span className="num">{say.timeCol}</span>
        <span className="num">{say.tokensCol}</span>
      </div>
      {timeline.rows.map((row) => (
        <Row key={row.visit.key} row={row} timeline={timeline} run={run} />
      ))}
      <div className="tr sum-row">
        <span />
        <span className="t3">{say.total}</span>
        <span className="sm t3 legend">
          <span className="lg ac" />
          {say.model}
          <span className="lg" />
          {say.tool}
          <span className="wide-only"> · {totals.cachedCalls > 0 ? `${totals.cachedCalls} ${say.cached}` : say.noneCached}</span>
        </span>
        <span className="num">{duration(totals.workMs)}</span>
        <span className="num">{totals.tokens.toLocaleString('en')}</span>
      </div>
    </div>
  );
}

/** Three round values for the axis. */
function marks(totalMs: number): readonly number[] {
  const rough = totalMs / 2.2;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((ms) => ms >= rough) ?? power;
  return [0, step, step * 2].filter((ms) => ms <= totalMs * 0.94);
}

interface RowProps {
  readonly row: TimelineRow;
  readonly timeline: Rows;
  readonly run: RunState;
}

function Row({ row, timeline, run }: RowProps): ReactNode {
  const say = useWords();
  const { visit, startMs, durationMs, kind, tokens } = row;
  const share = (ms: number): string => `${Math.min(100, (ms / timeline.totalMs) * 100)}%`;
  const [glyph, tone] = glyphOf(visit, visit.endedAt === undefined);
  const cached = visit.models.filter((one) => one.cached).length;
  const notes = [
    visit.attempt > 1 ? say.attempt(visit.attempt) : '',
    visit.tools.length > 1 ? say.atOnce(visit.tools.length) : '',
    cached > 0 ? say.cached : '',
    kind === 'wait' ? (visit.left?.on ?? say.waitingFor) : '',
  ].filter(Boolean);
  const late = startMs / timeline.totalMs > 0.45;
  return (
    <>
      <div className="tr">
        <span className={`g ${tone}`}>
          <Icon name={glyph} />
        </span>
        <span className={`n cut${visit.inner ? ' inner' : ''}`} title={visit.key}>
          {visit.state}
        </span>
        <span className="bar">
          <i
            className={visit.error ? 'f' : kind === 'model' ? 'm' : kind === 'wait' ? 'w' : ''}
            style={{ left: share(startMs), width: share(durationMs) }}
          />
          {notes.length === 0 ? null : (
            <u
              className="note"
              style={
                late
                  ? { right: `calc(${100 - (startMs / timeline.totalMs) * 100}% + 4px)` }
                  : { left: `calc(${share(startMs + durationMs)} + 4px)` }
              }
            >
              {notes.join(' · ')}
            </u>
          )}
        </span>
        <span className="num">
          {visit.endedAt === undefined && kind !== 'wait' ? '…' : kind === 'wait' ? '' : duration(visit.durationMs ?? 0)}
        </span>
        <span className="num">{tokens > 0 ? tokens.toLocaleString('en') : ''}</span>
      </div>
      {visit.error ? <p className="row-error rd sm">{visibleText(`${visit.error.code}: ${visit.error.message}`)}</p> : null}
      {visit.tools.map((tool, index) => (
        <ToolRow
          key={`${visit.key} ${tool.callId}`}
          tool={tool}
          start={row.tools[index]?.startMs ?? startMs}
          share={share}
          entry={entryOf(run.entries, visit.key, tool.callId)}
        />
      ))}
    </>
  );
}

const entryOf = (entries: readonly JournalEntry[], key: string, callId: string): JournalEntry | undefined =>
  entries.find((entry) => entry.kind === 'step' && entry.key === `${key}/${callId}`);

interface ToolRowProps {
  readonly tool: ToolView;
  readonly start: number;
  readonly entry: JournalEntry | undefined;
  share(ms: number): string;
}

function ToolRow({ tool, start, share, entry }: ToolRowProps): ReactNode {
  const say = useWords();
  const [open, setOpen] = useState(false);
  const { durationMs = 0, attempts = 1, reused, error } = tool;
  const notes = [
    reused ? say.reused : '',
    attempts > 1 ? (error ? say.attempt(attempts) : say.attemptsDone(attempts)) : '',
    error?.code ?? '',
  ].filter(Boolean);
  return (
    <>
      <button type="button" className="tr c" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={`g${error ? ' rd' : ''}`}>
          <Icon name={open ? 'down' : 'right'} />
        </span>
        <span className="n cut">{tool.tool}</span>
        <span className="bar">
          <i className={error ? 'f' : ''} style={{ left: share(start), width: share(durationMs) }} />
          {notes.length === 0 ? null : (
            <u className="note l" style={{ left: `calc(${share(start + durationMs)} + 6px)` }}>
              {notes.join(' · ')}
            </u>
          )}
        </span>
        <span className="num">{tool.durationMs === undefined ? '…' : duration(durationMs)}</span>
        <span className="num" />
      </button>
      {open ? <ToolCard tool={tool} entry={entry} /> : null}
    </>
  );
}

/** Details of a call. Its output is framed, because it is untrusted text. */
function ToolCard({ tool, entry }: { readonly tool: ToolView; readonly entry: JournalEntry | undefined }): ReactNode {
  const say = useWords();
  const result = outputOf(entry);
  return (
    <div className="card">
      <dl>
        <dt>{say.arguments}</dt>
        <dd className="mono">
          <CodeText text={jsonText(tool.args ?? null)} />
        </dd>
        {tool.error ? (
          <>
            <dt>{say.error}</dt>
            <dd className="rd">{visibleText([`${tool.error.code}: ${tool.error.message}`, tool.error.hint].filter(Boolean).join(' '))}</dd>
          </>
        ) : (
          <>
            <dt>{say.result}</dt>
            {result === undefined ? (
              <dd className="t3">{tool.reused ? say.reused : say.noResult}</dd>
            ) : (
              <dd className="unt">
                <span className="lab">{say.untrusted}</span>
                <CodeText text={storedText(result)} />
              </dd>
            )}
          </>
        )}
        <dt>{say.call}</dt>
        <dd className="t2">
          {say.attempt(tool.attempts ?? 1)} · <span className="mono">{tool.callId}</span>
          {entry ? ` · ${say.entryOf(entry.seq)}` : ''}
        </dd>
      </dl>
    </div>
  );
}

function outputOf(entry: JournalEntry | undefined): unknown {
  const { output } = (entry?.outcome ?? {}) as { readonly output?: unknown };
  if (typeof output !== 'object' || output === null) return output;
  return 'output' in output ? output.output : output;
}
