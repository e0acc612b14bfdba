import type { Json } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import { addToView, emptyView, type RunView } from './run-view.ts';

/** The events of a run so far, and the view built from them. */
export interface RunLog {
  /** Numbered events, without gaps. */
  readonly events: readonly RunEvent[];
  readonly view: RunView;
  /** Streaming texts by node, in order of their start. They are not in the journal, and later events make them void. */
  readonly live: readonly LiveText[];
  /** Last progress of each call, by `progressKey`. Not in the journal either. */
  readonly progress: Readonly<Record<string, Json>>;
}

interface LiveText {
  readonly text: string;
  readonly node?: string | undefined;
}

export const emptyLog: RunLog = { events: [], view: emptyView, live: [], progress: {} };

/** View after the first `count` events. */
export const viewAt = (events: readonly RunEvent[], count: number): RunView => events.slice(0, count).reduce(addToView, emptyView);

/**
 * Adds events to a log. Known events are ignored, so a stream may restart at any earlier event. Events after a gap are ignored too;
 * `needsFrom` returns the number to restart from.
 */
export const addEvents = (log: RunLog, events: readonly RunEvent[]): RunLog => events.reduce(addEvent, log);

/** Number of the next event to request. */
export const needsFrom = ({ view }: RunLog): number => view.seq + 1;

function addEvent(log: RunLog, event: RunEvent): RunLog {
  if (event.type === 'token') return speak(log, event.node, event.text);
  if (event.type === 'custom') return addProgress(log, event);
  if (event.type === 'step-reset') return reset(log, event);
  if (event.seq > log.view.seq + 1 || isKnown(log, event)) return log;
  if (event.seq <= log.view.seq) return addEvent(cutBefore(log, event.seq), event);
  const view = addToView(log.view, event);
  const live = event.type === 'model-start' ? withoutNode(log.live, event.node) : log.live;
  return { ...log, events: [...log.events, event], view, live };
}

/** All streaming texts, joined. */
export const liveText = ({ live }: RunLog): string => live.map(({ text }) => text).join('\n\n');

function speak({ live, ...log }: RunLog, node: string | undefined, text: string): RunLog {
  const index = live.findIndex((one) => one.node === node);
  const said = live[index];
  if (said) return { ...log, live: live.with(index, { node, text: said.text + text }) };
  const hasEnded = (key: string | undefined): boolean => log.view.visits.some((visit) => visit.key === key && visit.endedAt !== undefined);
  return { ...log, live: [...live.filter((one) => !hasEnded(one.node)), { node, text }] };
}

/** Key of a call's progress. */
export const progressKey = (node: string, callId: string): string => `${node}/${callId}`;

function addProgress(log: RunLog, { name, data, node }: Extract<RunEvent, { type: 'custom' }>): RunLog {
  if (name !== 'tool-progress' || node === undefined || !isObject(data) || typeof data.callId !== 'string') return log;
  return { ...log, progress: { ...log.progress, [progressKey(node, data.callId)]: (data.data ?? null) as Json } };
}

const withoutNode = (live: readonly LiveText[], node: string | undefined): readonly LiveText[] => live.filter((one) => one.node !== node);

/** Discards the events from the reset's number on, because their work has restarted. */
function reset(log: RunLog, event: Extract<RunEvent, { type: 'step-reset' }>): RunLog {
  const live = event.node === undefined ? [] : withoutNode(log.live, event.node);
  if (event.seq > log.view.seq + 1) return { ...log, live, progress: {} };
  if (event.seq === log.view.seq + 1) return { events: [...log.events, event], view: addToView(log.view, event), live, progress: {} };
  if (isKnown(log, event)) return log;
  const before = cutBefore(log, event.seq);
  return { events: [...before.events, event], view: addToView(before.view, event), live, progress: {} };
}

/** True for an event that is already in the log. A different event with the same number replaces one that its process could not store. */
const isKnown = ({ events }: RunLog, event: RunEvent): boolean => {
  const known = events[event.seq - 1];
  return known !== undefined && known.type === event.type && known.at === event.at && known.node === event.node;
};

function cutBefore({ events }: RunLog, seq: number): RunLog {
  const before = events.slice(0, seq - 1);
  return { events: before, view: viewAt(before, before.length), live: [], progress: {} };
}
