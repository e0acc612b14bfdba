import type { RunEvent } from '../../ports/run-event.ts';
import { addToView, emptyView, type RunView } from './run-view.ts';

/** The events of a run as far as they have come, and what is shown of them. */
export interface RunLog {
  /** Numbered ones, without gaps. */
  readonly events: readonly RunEvent[];
  readonly view: RunView;
  /** What streams, by node, in the order in which they began: it is in no journal, and what comes after it makes it void. */
  readonly live: readonly LiveText[];
}

interface LiveText {
  readonly text: string;
  /** The node that speaks. */
  readonly node?: string | undefined;
}

export const emptyLog: RunLog = { events: [], view: emptyView, live: [] };

/** The view after the first `count` events: what was to be seen then. */
export const viewAt = (events: readonly RunEvent[], count: number): RunView => events.slice(0, count).reduce(addToView, emptyView);

/**
 * A log with more events. One that was there already is passed over, so a stream may begin again anywhere before the last one. What
 * begins behind the last one leaves a gap, and is passed over as well: `needsFrom` says where to begin again.
 */
export const addEvents = (log: RunLog, events: readonly RunEvent[]): RunLog => events.reduce(addEvent, log);

/** Number of the event to ask for next. */
export const needsFrom = ({ view }: RunLog): number => view.seq + 1;

function addEvent(log: RunLog, event: RunEvent): RunLog {
  if (event.type === 'token' || event.type === 'custom') return event.type === 'token' ? speak(log, event.node, event.text) : log;
  if (event.type === 'step-reset') return reset(log, event);
  if (event.seq > log.view.seq + 1 || isKnown(log, event)) return log;
  if (event.seq <= log.view.seq) return addEvent(cutBefore(log, event.seq), event);
  const view = addToView(log.view, event);
  const live = event.type === 'model-start' ? withoutNode(log.live, event.node) : log.live;
  return { events: [...log.events, event], view, live };
}

/** What is streamed now, as one text. */
export const liveText = ({ live }: RunLog): string => live.map(({ text }) => text).join('\n\n');

function speak({ live, ...log }: RunLog, node: string | undefined, text: string): RunLog {
  const index = live.findIndex((one) => one.node === node);
  const said = live[index];
  if (said) return { ...log, live: live.with(index, { node, text: said.text + text }) };
  const hasEnded = (key: string | undefined): boolean => log.view.visits.some((visit) => visit.key === key && visit.endedAt !== undefined);
  return { ...log, live: [...live.filter((one) => !hasEnded(one.node)), { node, text }] };
}

const withoutNode = (live: readonly LiveText[], node: string | undefined): readonly LiveText[] => live.filter((one) => one.node !== node);

/** Events from its number on were said by work that has begun again. */
function reset(log: RunLog, event: Extract<RunEvent, { type: 'step-reset' }>): RunLog {
  const live = event.node === undefined ? [] : withoutNode(log.live, event.node);
  if (event.seq > log.view.seq + 1) return { ...log, live };
  if (event.seq === log.view.seq + 1) return { events: [...log.events, event], view: addToView(log.view, event), live };
  if (isKnown(log, event)) return log;
  const kept = cutBefore(log, event.seq);
  return { events: [...kept.events, event], view: addToView(kept.view, event), live };
}

/** What has this number was said by somebody who could not write it down, unless it is the same. */
const isKnown = ({ events }: RunLog, event: RunEvent): boolean => {
  const known = events[event.seq - 1];
  return known !== undefined && known.type === event.type && known.at === event.at && known.node === event.node;
};

function cutBefore({ events }: RunLog, seq: number): RunLog {
  const kept = events.slice(0, seq - 1);
  return { events: kept, view: viewAt(kept, kept.length), live: [] };
}
