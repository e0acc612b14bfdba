import type { ReactNode } from 'react';
import type { Json } from '../../core/ports/json.ts';
import { describePatch } from '../model/describe-patch.ts';
import { counted, duration } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { progressKey } from '../model/run-log.ts';
import type { GuardView, RunView, VisitView } from '../model/run-view.ts';
import type { Words } from '../model/words.ts';
import type { RunState } from '../state/studio-state.ts';
import { Icon, type IconName } from './icon.tsx';
import { useNow, useWords } from './studio-context.tsx';

/** Steps of a run so far, one line per node. */
export function Steps({ run, view }: { readonly run: RunState; readonly view: RunView }): ReactNode {
  const say = useWords();
  const running = run.following && !view.end && view.open.length === 0;
  const now = useNow(running);
  const rows = joinSame(view.visits.filter(({ inner }) => !inner));
  return (
    <ol className="steps" aria-label={say.pathTaken}>
      {view.guards.length === 0 ? null : (
        <li className="st">
          <span className={view.guards.some(isRefusal) ? 'g rd' : 'g'}>
            <Icon name={view.guards.some(isRefusal) ? 'cross' : 'tick'} />
          </span>
          <span className="n cut">input</span>
          <span className="d cut">{guardsText(view.guards)}</span>
        </li>
      )}
      {rows.map(({ visit, times }) => {
        const open = visit.endedAt === undefined;
        const [glyph, tone] = glyphOf(visit, open);
        return (
          <li className="st" key={visit.key}>
            <span className={`g ${tone}`}>
              <Icon name={glyph} />
            </span>
            <span className={`n cut${open ? ' b' : ''}`}>
              {visit.state}
              {times > 1 ? <span className="t3"> ×{times}</span> : null}
            </span>
            <span className="d cut">
              {visit.guards.length === 0 ? null : <span className="t3">{guardsText(visit.guards)} · </span>}
              {whatOf(visit, run, say, now)}
            </span>
            <span className="ms">
              {visit.waits && open ? '' : open ? (running ? counted(now - visit.startedAt) : '') : duration(visit.durationMs ?? 0)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** Joins consecutive successful visits of the same state into one line. */
function joinSame(visits: readonly VisitView[]): readonly { readonly visit: VisitView; readonly times: number }[] {
  const rows: { visit: VisitView; times: number }[] = [];
  for (const visit of visits) {
    const last = rows.at(-1);
    if (last && last.visit.state === visit.state && !last.visit.error && !visit.waits && visit.endedAt !== undefined) {
      const durationMs = (last.visit.durationMs ?? 0) + (visit.durationMs ?? 0);
      const tools = [...last.visit.tools, ...visit.tools];
      const guards = [...last.visit.guards, ...visit.guards];
      rows[rows.length - 1] = { visit: { ...visit, durationMs, tools, guards }, times: last.times + 1 };
    } else {
      rows.push({ visit, times: 1 });
    }
  }
  return rows;
}

export function glyphOf(visit: VisitView, open: boolean): readonly [IconName, string] {
  if (visit.waits && open) return ['wait', 'am'];
  if (open) return ['run', 'ac'];
  if (visit.error || visit.tools.some(({ error }) => error)) return ['cross', 'rd'];
  const again = visit.retries.length > 0 || visit.left?.on === 'REVISE' || /replan/.test(visit.state);
  return [again ? 'again' : 'tick', ''];
}

const isRefusal = ({ verdict }: GuardView): boolean => verdict === 'stop' || verdict === 'failed';

const guardsText = (guards: readonly GuardView[]): string =>
  [...new Set(guards.map(({ guard, verdict, reason }) => `${guard}: ${verdict}${reason === '' ? '' : ` (${reason})`}`))].join(', ');

/** Summary of a visit in a few words. */
function whatOf(visit: VisitView, run: RunState, say: Words, now: number): ReactNode {
  const { error, tools, models, left } = visit;
  const failed = error ?? tools.find((tool) => tool.error)?.error;
  if (failed) return `${failed.code}: ${oneLine(failed.message, 160)}`;
  if (visit.endedAt === undefined) return openText(visit, run, say, now);
  if (visit.waits) return left ? `${left.on}${feedbackOf(run, visit)}` : say.waitedForYou;
  if (tools.length > 0) return tools.map(({ tool, args }) => [tool, argsText(args)].filter(Boolean).join(' ')).join(', ');
  const entry = run.entries.find(({ key, kind }) => key === visit.key && kind === 'node');
  const { output } = (entry?.outcome ?? {}) as { readonly output?: Parameters<typeof describePatch>[0] };
  return describePatch(output) || (models.length > 0 ? models.map(({ model }) => model).join(', ') : (left?.guard ?? ''));
}

function openText({ key, waits, tools, models }: VisitView, { log }: RunState, say: Words, now: number): string {
  if (waits) return say.waitingFor;
  const tool = tools.find(({ durationMs }) => durationMs === undefined);
  if (tool) {
    const progress = log.progress[progressKey(key, tool.callId)];
    return [tool.tool, argsText(tool.args), progress === undefined ? '' : `· ${progressText(progress)}`].filter(Boolean).join(' ');
  }
  const model = models.find(({ durationMs }) => durationMs === undefined);
  return model ? say.askingModel(counted(now - model.startedAt)) : say.working;
}

function feedbackOf(run: RunState, visit: VisitView): string {
  const entry = run.entries.find(({ key, kind }) => kind === 'event' && key === visit.key);
  const { event } = (entry?.outcome ?? {}) as { readonly event?: Readonly<Record<string, unknown>> };
  const said = event?.feedback ?? event?.reason;
  return typeof said === 'string' ? `: “${oneLine(said, 80)}”` : '';
}

/** A tool's progress: a text, a number, or its members. */
function progressText(progress: Json): string {
  if (typeof progress !== 'object' || progress === null) return oneLine(String(progress), 60);
  const members = Object.entries(progress).map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  return oneLine(members.join(', '), 60);
}

/** Arguments of a call: a single one if it says enough, else all of them. */
function argsText(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const values = Object.values(args);
  const [only] = values;
  if (values.length === 1 && typeof only === 'string') return oneLine(only, 60);
  return values.length === 0 ? '' : oneLine(JSON.stringify(args), 60);
}
