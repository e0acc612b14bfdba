import type { RunEvent } from '../../ports/run-event.ts';
import { addToView, emptyView, type RunView } from './run-view.ts';

/** The events of a run as far as they have come, and what is shown of them. */
export interface RunLog {
  /** Numbered ones, without gaps. */
  readonly events: readonly RunEvent[];
  readonly view: RunView;
  /** What streams: it is in no journal, and what comes after it makes it void. */
  readonly live: LiveText;
}

interface LiveText {
  readonly text: string;
  /** The node that speaks. */
  readonly node?: string;
  /** The beginning was said before this page listened. */
  readonly cut: boolean;
}

const noText: LiveText = { text: '', cut: false };

export const emptyLog: RunLog = { events: [], view: emptyView, live: noText };

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
  const live = event.type === 'model-start' && event.node === log.live.node ? noText : log.live;
  return { events: [...log.events, event], view, live };
}

function speak(log: RunLog, node: string | undefined, text: string): RunLog {
  const { live } = log;
  const same = live.node === node && live.text !== '';
  const made = { text: same ? live.text + text : text, cut: live.cut };
  return { ...log, live: node === undefined ? made : { ...made, node } };
}

/** Events from its number on were said by work that has begun again. */
function reset(log: RunLog, event: Extract<RunEvent, { type: 'step-reset' }>): RunLog {
  const live = event.node === undefined || event.node === log.live.node ? noText : log.live;
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
  return { events: kept, view: viewAt(kept, kept.length), live: noText };
}

/** The page begins to listen in the middle: what a model that is at work has said before is not told again. */
export function joinLate(log: RunLog): RunLog {
  const speaks = log.view.visits.some(({ models, endedAt }) => endedAt === undefined && models.some((one) => one.durationMs === undefined));
  return { ...log, live: speaks ? { text: '', cut: true } : noText };
}
