import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { Interrupt, RunEvent, TokenUsage } from '../../core/ports/run-event.ts';

interface ModelView {
  readonly task: string;
  readonly model: string;
  readonly startedAt: number;
  readonly durationMs?: number;
  readonly usage?: TokenUsage;
  readonly cached?: boolean;
  readonly error?: ErrorInfo;
}

export interface ToolView {
  readonly callId: string;
  readonly tool: string;
  readonly args?: Json;
  readonly startedAt: number;
  readonly durationMs?: number;
  readonly attempts?: number;
  /** True when no call was made, because an equal call had provided the result. */
  readonly reused?: boolean;
  readonly error?: ErrorInfo;
}

/** One visit of a state: an active node, or a wait for a human. */
export interface VisitView {
  /** Format: `state#visit`. */
  readonly key: string;
  readonly state: string;
  readonly visit: number;
  /** True when it belongs to a workflow inside a node of this one. */
  readonly inner: boolean;
  readonly waits: boolean;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly durationMs?: number;
  readonly attempt: number;
  readonly retries: readonly ErrorInfo[];
  readonly error?: ErrorInfo;
  readonly models: readonly ModelView[];
  readonly tools: readonly ToolView[];
  readonly said: readonly { readonly step: string; readonly content: Json }[];
  /** Verdicts of guards other than pass. */
  readonly guards: readonly GuardView[];
  /** Transition that ended the visit. */
  readonly left?: Move;
}

/** Verdict of a guard. */
export type GuardView = Pick<Extract<RunEvent, { type: 'guard' }>, 'guard' | 'border' | 'verdict' | 'reason'>;

interface Move {
  readonly from: string;
  readonly to: string;
  readonly on: string;
  readonly guard?: string;
  readonly at: number;
  readonly seq: number;
}

/** View of a run, built only from its events. A prefix of the events gives the view at that time. */
export interface RunView {
  /** Number of the last event. */
  readonly seq: number;
  readonly model?: string;
  readonly startedAt?: number;
  readonly lastAt?: number;
  readonly visits: readonly VisitView[];
  readonly moves: readonly Move[];
  /** Paths of the active states; empty before the first transition. */
  readonly active: readonly string[];
  readonly open: readonly Interrupt[];
  readonly answered: readonly { readonly interrupt: Interrupt; readonly move: Move }[];
  readonly sources?: Json;
  /** Verdicts of guards about the input. */
  readonly guards: readonly GuardView[];
  readonly end?: Extract<RunEvent, { type: 'run-end' }>;
}

export const emptyView: RunView = { seq: 0, visits: [], moves: [], active: [], open: [], answered: [], guards: [] };

export function addToView(view: RunView, event: RunEvent): RunView {
  const next = { ...view, seq: Math.max(view.seq, event.seq), lastAt: event.at };
  switch (event.type) {
    case 'run-start':
      return { ...next, startedAt: event.at, ...(event.model === undefined ? {} : { model: event.model }) };
    case 'node-start':
      return startVisit(next, event.key, event.at, event.attempt);
    case 'node-retry':
      return changeVisit(next, event.key, (visit) => ({ ...visit, attempt: event.attempt, retries: [...visit.retries, event.error] }));
    case 'node-end':
      return changeVisit(next, event.key, (visit) => ({
        ...visit,
        endedAt: event.at,
        durationMs: event.durationMs,
        ...(event.error ? { error: event.error } : {}),
      }));
    case 'edge':
      return event.node === undefined ? move(next, event) : next;
    case 'interrupt':
      return event.node === undefined ? ask(next, event.interrupt, event.at) : next;
    case 'run-end':
      return { ...next, end: event, open: [], ...('finalState' in event ? { active: event.finalState.split('|') } : {}) };
    case 'guard':
      return event.node === undefined
        ? { ...next, guards: [...next.guards, event] }
        : changeVisit(next, event.node, (visit) => ({ ...visit, guards: [...visit.guards, event] }));
    case 'sources':
      return { ...next, sources: event.sources };
    default:
      return event.node === undefined ? next : changeVisit(next, event.node, (visit) => addToVisit(visit, event));
  }
}

const stateOf = (key: string): string => key.slice(0, key.lastIndexOf('#'));

function startVisit(view: RunView, key: string, at: number, attempt: number, waits = false): RunView {
  if (view.visits.some((visit) => visit.key === key)) {
    return changeVisit(view, key, ({ endedAt: _, durationMs: __, error: ___, ...visit }) => ({ ...visit, attempt, waits }));
  }
  const visit: VisitView = {
    key,
    state: stateOf(key),
    visit: Number(key.slice(key.lastIndexOf('#') + 1)),
    inner: key.includes('/'),
    waits,
    startedAt: at,
    attempt,
    retries: [],
    models: [],
    tools: [],
    said: [],
    guards: [],
  };
  return { ...view, visits: [...view.visits, visit], active: view.active.length > 0 || visit.inner ? view.active : [visit.state] };
}

/** Events of workflows inside a node belong to the innermost known visit. */
function changeVisit(view: RunView, key: string, change: (visit: VisitView) => VisitView): RunView {
  for (let known = key; known !== ''; known = known.slice(0, Math.max(0, known.lastIndexOf('/')))) {
    const index = view.visits.findLastIndex((visit) => visit.key === known);
    const visit = view.visits[index];
    if (visit) return { ...view, visits: view.visits.with(index, change(visit)) };
  }
  return view;
}

function addToVisit(visit: VisitView, event: RunEvent): VisitView {
  const { at } = event;
  switch (event.type) {
    case 'model-start':
      return { ...visit, models: [...visit.models, { task: event.task, model: event.model, startedAt: at }] };
    case 'model-end': {
      const { task, model, durationMs, usage, cached, error } = event;
      const index = visit.models.findIndex((one) => one.task === task && one.durationMs === undefined);
      const startedAt = visit.models[index]?.startedAt ?? at - durationMs;
      const ended: ModelView = { task, model, startedAt, durationMs, usage, cached, ...(error ? { error } : {}) };
      return { ...visit, models: index < 0 ? [...visit.models, ended] : visit.models.with(index, ended) };
    }
    case 'tool-start':
      return { ...visit, tools: [...visit.tools, { callId: event.callId, tool: event.tool, args: event.args, startedAt: at }] };
    case 'tool-end': {
      const { callId, tool, durationMs, attempts, deduplicated, error } = event;
      const index = visit.tools.findLastIndex((one) => one.callId === callId);
      const started = visit.tools[index] ?? { callId, tool, startedAt: at - durationMs };
      const ended: ToolView = { ...started, durationMs, attempts, reused: deduplicated, ...(error ? { error } : {}) };
      return { ...visit, tools: index < 0 ? [...visit.tools, ended] : visit.tools.with(index, ended) };
    }
    case 'thinking':
      return { ...visit, said: [...visit.said, { step: event.step, content: event.content }] };
    default:
      return visit;
  }
}

function move(view: RunView, event: Extract<RunEvent, { type: 'edge' }>): RunView {
  const { from, to, on, guard, at, seq } = event;
  const taken: Move = { from, to, on, at, seq, ...(guard === undefined ? {} : { guard }) };
  const index = view.visits.findLastIndex((visit) => visit.state === from && visit.left === undefined);
  const visit = view.visits[index];
  const left = visit && { ...visit, left: taken, ...(visit.waits ? { endedAt: at, durationMs: at - visit.startedAt } : {}) };
  const answered = view.open.filter(({ key }) => stateOf(key) === from).map((interrupt) => ({ interrupt, move: taken }));
  return {
    ...view,
    visits: left ? view.visits.with(index, left) : view.visits,
    moves: [...view.moves, taken],
    active: to.split('|'),
    open: view.open.filter(({ key }) => stateOf(key) !== from),
    answered: [...view.answered, ...answered],
  };
}

function ask(view: RunView, interrupt: Interrupt, at: number): RunView {
  const asked = startVisit(view, interrupt.key, at, 1, true);
  return { ...asked, open: [...asked.open.filter(({ key }) => key !== interrupt.key), interrupt] };
}
