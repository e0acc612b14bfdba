import type { Json } from '../../../../core/ports/json.ts';
import type { RunEvent } from '../../../../core/ports/run-event.ts';
import type { TakenEdge } from '../../../../inspect/drawing/drawn-path.ts';
import { followingEdges } from '../../../../inspect/following-edges.ts';
import { initialStates } from '../../../../inspect/run-path.ts';
import type { FeedEntry, FeedRunContents, FeedSnapshot } from '../../node/feed-types.ts';

/** Transition of a run, with the work before it. */
export interface Step {
  readonly title: string;
  readonly at: number;
  /** Taken edges, eventless ones included. None for the start, the end, and work in progress. */
  readonly edges: readonly TakenEdge[];
  /** Paths of the active states after the step. */
  readonly active: readonly string[];
  /** Key of the preceding work. */
  readonly key?: string;
  readonly durationMs?: number;
  readonly tokens?: number;
  readonly tools: readonly ToolCallShown[];
  readonly entry?: FeedEntry;
  /** Change by the work, or payload of an event. */
  readonly patch?: Json;
  readonly event?: Json;
  readonly failed: boolean;
}

interface ToolCallShown {
  readonly tool: string;
  readonly args?: Json;
  readonly durationMs?: number;
  readonly error?: string;
}

type Contents = Pick<FeedRunContents, 'graph' | 'events' | 'entries' | 'snapshots'>;

/** Returns the transitions of a run, in order. */
export function toSteps({ graph, events, entries, snapshots }: Contents): readonly Step[] {
  if (snapshots.length > 0) return stepsOfActor(snapshots);
  const byKey = new Map(entries.filter(({ kind }) => kind !== 'step' && kind !== 'intent').map((entry) => [entry.key, entry]));
  const steps: Step[] = [];
  let work: RunEvent[] = [];
  let active = graph ? initialStates(graph) : [];
  for (const event of events) {
    if (event.type === 'edge' && isOwn(event)) {
      active = event.to.split('|');
      steps.push(move(event, work, byKey, active, graph));
      work = work.filter((one) => keyOf(one)?.split('#')[0] !== event.from);
    } else if (event.type === 'run-start') {
      const input = entries.find(({ kind }) => kind === 'start');
      steps.push({
        title: event.workflow,
        at: event.at,
        active,
        edges: [],
        tools: [],
        failed: false,
        event: plain(event),
        ...(input ? { entry: input } : {}),
      });
    } else if (event.type === 'run-end') {
      const finalState = 'finalState' in event ? event.finalState : undefined;
      steps.push({
        title: event.status,
        at: event.at,
        active: finalState ? finalState.split('|') : active,
        edges: [],
        tools: [],
        failed: event.status === 'failed',
        event: plain(event),
      });
    } else {
      work.push(event);
    }
  }
  return [...steps, ...inProgress(work, active)];
}

/** Excludes workflows inside nodes, which have their own machine. */
const isOwn = (event: RunEvent): boolean => event.node === undefined;

function move(
  event: Extract<RunEvent, { type: 'edge' }>,
  work: readonly RunEvent[],
  byKey: ReadonlyMap<string, FeedEntry>,
  active: readonly string[],
  graph: FeedRunContents['graph'],
): Step {
  const { from, on, guard } = event;
  const edge: TakenEdge = { from, on, ...(guard === undefined ? {} : { guard }) };
  const own = work.filter((one) => keyOf(one)?.split('#')[0] === from);
  const end = own.findLast((one) => one.type === 'node-end' && isOwn(one));
  const key = end?.type === 'node-end' ? end.key : own.map(keyOf).findLast((one) => one !== undefined);
  const entry = (key === undefined ? undefined : byKey.get(key)) ?? latestOf(byKey, from, event.at);
  const tokens = own.reduce((sum, one) => (one.type === 'model-end' ? sum + one.usage.inputTokens + one.usage.outputTokens : sum), 0);
  const patch = patchOf(entry);
  return {
    title: `${from} → ${active.join(' | ')}`,
    at: event.at,
    edges: [edge, ...(graph ? followingEdges(graph, edge, active) : [])],
    active,
    tools: toolsOf(own),
    failed: on === 'error',
    event: plain(event),
    ...(key === undefined ? {} : { key }),
    ...(end?.type === 'node-end' ? { durationMs: end.durationMs } : {}),
    ...(tokens > 0 ? { tokens } : {}),
    ...(entry ? { entry } : {}),
    ...(patch === undefined ? {} : { patch }),
  };
}

/** Returns the last entry of a waiting state before the transition: an event or a timer. */
const latestOf = (byKey: ReadonlyMap<string, FeedEntry>, from: string, at: number): FeedEntry | undefined =>
  [...byKey.values()].findLast((entry) => entry.key.split(/[# ]/)[0] === from && entry.at <= at && entry.kind !== 'timer-start');

function patchOf(entry: FeedEntry | undefined): Json | undefined {
  const outcome = entry?.outcome;
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return outcome;
  const parts = outcome as { readonly [key: string]: Json };
  return parts.output ?? parts.error ?? parts.event ?? outcome;
}

function toolsOf(events: readonly RunEvent[]): readonly ToolCallShown[] {
  const starts = new Map(events.flatMap((event) => (event.type === 'tool-start' ? [[event.callId, event] as const] : [])));
  const ended = events.flatMap((event): readonly (readonly [string, ToolCallShown])[] => {
    if (event.type !== 'tool-end') return [];
    const args = starts.get(event.callId)?.args;
    const error = event.error ? `${event.error.code}: ${event.error.message}` : undefined;
    const shown = { tool: event.tool, durationMs: event.durationMs, ...(args === undefined ? {} : { args }), ...(error ? { error } : {}) };
    return [[event.callId, shown]];
  });
  const known = new Set(ended.map(([id]) => id));
  const open = [...starts.values()].filter(({ callId }) => !known.has(callId)).map(({ tool, args }) => ({ tool, args }));
  return [...ended.map(([, shown]) => shown), ...open];
}

/** Returns the work in progress and the pending interrupts. */
function inProgress(work: readonly RunEvent[], active: readonly string[]): readonly Step[] {
  const ended = new Set(work.flatMap((event) => (event.type === 'node-end' ? [event.key] : [])));
  return work.flatMap((event): readonly Step[] => {
    const isWork = event.type === 'node-start' && isOwn(event) && !ended.has(event.key) && !event.key.includes('/');
    const key = isWork ? event.key : event.type === 'interrupt' ? event.interrupt.key : undefined;
    if (key === undefined) return [];
    const own = work.filter((one) => keyOf(one) === key);
    return [
      { title: `${key.split('#')[0]} …`, at: event.at, key, active, edges: [], tools: toolsOf(own), failed: false, event: plain(event) },
    ];
  });
}

const keyOf = (event: RunEvent): string | undefined => {
  if (event.node !== undefined) return event.node;
  if (event.type === 'interrupt') return event.interrupt.key;
  return event.type === 'node-start' || event.type === 'node-end' || event.type === 'node-retry' ? event.key : undefined;
};

const plain = (event: RunEvent): Json => JSON.parse(JSON.stringify(event)) as Json;

/** Converts snapshots to steps. */
function stepsOfActor(snapshots: readonly FeedSnapshot[]): readonly Step[] {
  return snapshots.map(({ event, active, edges, at, context, error }) => {
    const type = typeof event === 'object' && event !== null && 'type' in event ? String(event.type) : '';
    const leaves = leavesOf(active);
    return {
      title: `${type} → ${leaves.join(' | ')}`,
      at,
      active: leaves,
      edges,
      tools: [],
      event,
      failed: error !== undefined,
      ...(context === undefined ? {} : { patch: context }),
    };
  });
}

const leavesOf = (active: readonly string[]): readonly string[] =>
  active.filter((path) => !active.some((other) => other.startsWith(`${path}.`)));
