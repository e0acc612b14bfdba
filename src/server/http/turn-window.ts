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
/** Sizes of an answer, and of each member of a turn with texts of users, in bytes of JSON. Maximum number of steps of a turn. */
const most = { windowBytes: 512_000, memberBytes: 10_000, steps: 100 };

/** Reads some turns of a conversation. @throws {WorkflowError} `THREAD_UNKNOWN`. */
export async function turnWindow(place: Place, threadId: string, query: TurnWindowQuery): Promise<TurnWindow> {
  const { runtime, store } = place;
  const { total, skipped, turns, keep } = await newestFirst(runtime, threadId, query);
  const ratings = await store.ratings?.(turns.map(({ run }) => run.id));
  const details = turns.map((turn, index) => toTurnDetails(turn, total - skipped - index, ratings?.get(turn.run.id)));
  const shown = withinBytes(details, keep);
  const [newest, oldest] = [shown[0], shown.at(-1)];
  return {
    thread: { id: threadId, ...(await nameOf(place, threadId, details)), turns: total },
    turns: shown,
    ...(oldest !== undefined && oldest.number > 1 ? { before: oldest.id } : {}),
    ...(newest !== undefined && newest.number < total ? { after: newest.id } : {}),
  };
}

/** Returns the turns around the one at `keep` that fit into an answer, without a gap, and at least that one. */
function withinBytes(turns: readonly TurnDetails[], keep: number): readonly TurnDetails[] {
  let [from, to] = [keep, keep];
  let bytes = 0;
  const fits = (turn: TurnDetails | undefined): boolean => {
    if (turn === undefined) return false;
    bytes += jsonBytes(turn);
    return bytes <= most.windowBytes || from === to;
  };
  let [isNewerLeft, isOlderLeft] = [true, true];
  if (fits(turns[keep])) to = keep + 1;
  while (isNewerLeft || isOlderLeft) {
    isOlderLeft &&= fits(turns[to]);
    if (isOlderLeft) to += 1;
    isNewerLeft &&= fits(turns[from - 1]);
    if (isNewerLeft) from -= 1;
  }
  return turns.slice(from, to);
}

interface Newest extends ThreadTurns {
  /** Index of the turn that must be shown: the one next to the cursor, or the one asked for. */
  readonly keep: number;
}

/** Reads the turns of a query in the order of the answer, with the number of newer ones. */
async function newestFirst(
  runtime: Place['runtime'],
  threadId: string,
  { limit = defaultLimit, before, after, around }: TurnWindowQuery,
): Promise<Newest> {
  const read = (order: TurnQuery['order'], beyond: string | undefined, limit: number): Promise<ThreadTurns> =>
    runtime.turns(threadId, { order, limit, ...(beyond === undefined ? {} : { beyond }) });
  if (around !== undefined) return turnsAround(read, around, limit);
  if (after === undefined) return { ...(await read('newest', before, limit)), keep: 0 };
  const newer = await read('oldest', after, limit);
  const skipped = newer.total - newer.skipped - newer.turns.length;
  return { total: newer.total, skipped, turns: newer.turns.toReversed(), keep: Math.max(0, newer.turns.length - 1) };
}

/** Reads a turn with those on both sides of it. Turns only come at the newer end, so numbers count from the older one. */
async function turnsAround(
  read: (order: TurnQuery['order'], beyond: string | undefined, limit: number) => Promise<ThreadTurns>,
  id: string,
  limit: number,
): Promise<Newest> {
  const beside = await read('oldest', id, limit);
  const older = await read('newest', beside.turns[0]?.run.id, limit);
  const at = older.turns.findIndex(({ run }) => run.id === id);
  if (at < 0) return { total: older.total, skipped: older.total, turns: [], keep: 0 };
  const own = older.turns.slice(at);
  const above = Math.min(beside.turns.length, Math.max(Math.floor(limit / 2), limit - own.length));
  const newer = beside.turns.slice(0, above).toReversed();
  const skipped = older.skipped + at - newer.length;
  return { total: older.total, skipped, turns: [...newer, ...own.slice(0, limit - newer.length)], keep: newer.length };
}

/** Workflow and title of a conversation: the user's title, or its first input. */
async function nameOf(
  { runtime, store }: Place,
  threadId: string,
  [known]: readonly TurnDetails[],
): Promise<Pick<TurnWindow['thread'], 'workflow' | 'title'>> {
  const title = (await store.threadTitles([threadId])).get(threadId);
  if (title !== undefined && known !== undefined) return { workflow: known.workflow, title };
  const [first] = (await runtime.turns(threadId, { order: 'oldest', limit: 1 })).turns;
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
  let isCut = false;
  const short = <T>(value: T): T => {
    const shown = bound(value, most.memberBytes);
    isCut ||= shown !== value;
    return shown as T; // `bound` keeps what a value is, or says that it is too long
  };
  const { input, output, error, interrupts, inDoubt } = details;
  const steps = stepsOf(turn.entries.flatMap(({ events }) => events));
  const shown = {
    ...details,
    input: short(input),
    ...(output === undefined ? {} : { output: short(output) }),
    ...(error === undefined ? {} : { error: short(error) }),
    interrupts: interrupts.map((each) => ({ ...each, ...(each.question === undefined ? {} : { question: short(each.question) }) })),
    inDoubt: inDoubt.map((each) => ({ ...each, describe: short(each.describe) })),
    number,
    steps: steps.slice(-most.steps),
  };
  return { ...shown, ...(isCut || steps.length > most.steps ? { cut: true } : {}) };
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
