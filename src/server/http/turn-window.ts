import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunRating, TurnQuery } from '../../core/ports/run-store.ts';
import { jsonBytes } from '../../core/util/json-bytes.ts';
import type { ThreadTurn, ThreadTurns } from '../../engine/run/runtime.ts';
import { bound } from '../../inspect/censor.ts';
import type { TurnDetails, TurnStep, TurnWindow, TurnWindowQuery } from '../api/calls.ts';
import { toRunDetails, toRunSummary } from './run-details.ts';
import type { ServerSpace } from './served-space.ts';
import { titleOf } from './thread-title.ts';

type Place = Pick<ServerSpace, 'runtime' | 'store'>;

const defaultLimit = 30;
/** Sizes of an answer and of a turn without its steps, in bytes of JSON. */
const maxBytes = { window: 512_000, turn: 20_000 };

/** Reads some turns of a conversation. @throws {WorkflowError} `THREAD_UNKNOWN`. */
export async function turnWindow(place: Place, threadId: string, query: TurnWindowQuery): Promise<TurnWindow> {
  const { runtime, store } = place;
  const { total, skipped, turns } = await newestFirst(runtime, threadId, query);
  const ids = turns.map(({ run }) => run.id);
  const ratings = await store.ratings?.(ids);
  const shown: TurnDetails[] = [];
  let bytes = 0;
  for (const [index, turn] of turns.entries()) {
    const details = toTurnDetails(turn, total - skipped - index, ratings?.get(turn.run.id));
    bytes += jsonBytes(details);
    if (bytes > maxBytes.window && index > 0) break;
    shown.push(details);
  }
  const [newest, oldest] = [shown[0], shown.at(-1)];
  return {
    thread: { id: threadId, ...(await nameOf(place, threadId)), turns: total },
    turns: shown,
    ...(oldest !== undefined && oldest.number > 1 ? { before: oldest.id } : {}),
    ...(newest !== undefined && newest.number < total ? { after: newest.id } : {}),
  };
}

/** Reads the turns of a query in the order of the answer, with the number of newer ones. */
async function newestFirst(
  runtime: Place['runtime'],
  threadId: string,
  { limit = defaultLimit, before, after, around }: TurnWindowQuery,
): Promise<ThreadTurns> {
  const read = (order: TurnQuery['order'], beyond: string | undefined, limit: number): Promise<ThreadTurns> =>
    runtime.turns(threadId, { order, limit, ...(beyond === undefined ? {} : { beyond }) });
  if (around === undefined && after === undefined) return read('newest', before, limit);
  const newer = await read('oldest', around ?? after, around === undefined ? limit : Math.floor(limit / 2));
  // how many turns are newer than the newest of these
  const skipped = newer.total - newer.skipped - newer.turns.length;
  const above = newer.turns.toReversed();
  if (around === undefined) return { total: newer.total, skipped, turns: above };
  const older = await read('newest', above.at(-1)?.run.id, limit - above.length);
  return { total: older.total, skipped: above.length === 0 ? older.skipped : skipped, turns: [...above, ...older.turns] };
}

/** Workflow and title of a conversation: the user's title, or its first input. */
async function nameOf({ runtime, store }: Place, threadId: string): Promise<Pick<TurnWindow['thread'], 'workflow' | 'title'>> {
  const [first] = (await runtime.turns(threadId, { order: 'oldest', limit: 1 })).turns;
  const title = (await store.threadTitles([threadId])).get(threadId);
  const input = first !== undefined && 'entries' in first ? first.run.input : '';
  return { workflow: first?.run.workflow ?? '', title: title ?? titleOf(input) };
}

function toTurnDetails(turn: ThreadTurn, number: number, rating: RunRating | undefined): TurnDetails {
  if ('damage' in turn) {
    const usage = { modelCalls: 0, cachedCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 };
    const nothing = { input: null, interrupts: [], inDoubt: [], position: [], usage, steps: [] };
    return { ...toRunSummary(turn.run), ...nothing, error: turn.damage, number };
  }
  const details = toRunDetails(turn.run, turn.entries, rating);
  const shown = bound(details, maxBytes.turn) as typeof details;
  const steps = stepsOf(turn.entries.flatMap(({ events }) => events));
  return { ...shown, number, steps, ...(shown === details ? {} : { cut: true }) };
}

/** Returns the nodes of a run in the order of their starts. Calls and tokens of a workflow called as a tool count for the calling node. */
function stepsOf(events: readonly RunEvent[]): readonly TurnStep[] {
  const steps = new Map<string, TurnStep>();
  const change = (key: string, next: (step: TurnStep) => TurnStep): void => {
    const step = steps.get(key);
    if (step) steps.set(key, next(step));
  };
  for (const event of events) {
    if (event.type === 'node-start' && !event.key.includes('/') && !steps.has(event.key)) {
      steps.set(event.key, { key: event.key, status: 'open', calls: {}, inputTokens: 0, outputTokens: 0 });
    }
    if (event.type === 'node-end') {
      const { key, durationMs, error } = event;
      change(key, (step) => ({ ...step, durationMs, status: error === undefined ? 'done' : 'failed' }));
    }
    // `tools#1/call_0#1` is a node of a workflow that was called in `tools#1`
    const [node] = event.node?.split('/') ?? [];
    if (node === undefined) continue;
    if (event.type === 'tool-start') {
      const { tool } = event;
      change(node, (step) => ({ ...step, calls: { ...step.calls, [tool]: (step.calls[tool] ?? 0) + 1 } }));
    }
    if (event.type === 'model-end') {
      const { inputTokens, outputTokens } = event.usage;
      change(node, (step) => ({
        ...step,
        inputTokens: step.inputTokens + inputTokens,
        outputTokens: step.outputTokens + outputTokens,
      }));
    }
  }
  return [...steps.values()];
}
