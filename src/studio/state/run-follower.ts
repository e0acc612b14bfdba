import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunStatus } from '../../core/ports/run-store.ts';
import type { RunDetails } from '../../server/api/calls.ts';
import type { StudioApi } from '../api/studio-api.ts';
import { toFailure } from '../api/to-failure.ts';
import { addEvents, emptyLog, needsFrom } from '../model/run-log.ts';
import type { RunState } from './studio-state.ts';

/** The page that holds the followed runs. */
export interface FollowedPage {
  readonly api: StudioApi;
  run(id: string): RunState | undefined;
  addRun(info: RunDetails): void;
  setRun(id: string, change: (run: RunState) => Partial<RunState>): void;
  reached(): void;
  notReached(trouble: { readonly status: number }): void;
}

const journalEveryMs = 250;
const longestRetryMs = 5_000;
/** True for an error that is not worth a retry. Rate limits (429) and server errors are retried. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

const restful: readonly RunStatus[] = ['paused', 'waiting', 'in_doubt', 'done', 'failed', 'cancelled'];

/** Keeps the displayed runs up to date: their events, tokens and journals. */
export class RunFollower {
  readonly #page: FollowedPage;
  readonly #followed = new Map<string, AbortController>();
  readonly #journals = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(page: FollowedPage) {
    this.#page = page;
  }

  /** Follows a run until it rests, and reconnects after lost connections. */
  async follow(id: string): Promise<void> {
    if (this.#followed.has(id)) return;
    const controller = new AbortController();
    const { signal } = controller;
    this.#followed.set(id, controller);
    this.#page.setRun(id, () => ({ following: true }));
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        if (await this.#readRest(id)) break;
        if (await this.#listen(id, signal)) break;
        failures = 0;
      } catch (cause) {
        const trouble = toFailure(cause);
        if (signal.aborted || isFinal(trouble.status)) break;
        this.#page.notReached(trouble);
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(longestRetryMs, 200 * 2 ** failures)));
    }
    if (this.#followed.get(id) === controller) this.#followed.delete(id);
    this.#page.setRun(id, () => ({ following: false }));
  }

  /** Reads a resting run from its journal, without a stream. @returns true if the run rests. */
  async #readRest(id: string): Promise<boolean> {
    const run = this.#page.run(id);
    if (!run?.info || !restful.includes(run.info.status)) return false;
    await this.#readJournal(id);
    const entries = this.#page.run(id)?.entries ?? [];
    this.#page.setRun(id, ({ log }) => ({
      log: addEvents(
        log,
        entries.flatMap(({ events = [] }) => events),
      ),
    }));
    return entries.every(({ events }) => events !== undefined);
  }

  /** @returns true if the run rests. */
  async #listen(id: string, signal: AbortSignal): Promise<boolean> {
    const log = this.#page.run(id)?.log ?? emptyLog;
    const batch = createBatch<RunEvent>((events) => {
      this.#page.setRun(id, (run) => ({
        log: addEvents(run.log, events),
        seenLive: run.seenLive || events.some(({ type }) => type === 'token'),
      }));
      if (events.some(({ type }) => type.endsWith('-end') || type === 'interrupt')) this.#readJournalSoon(id);
    });
    const over = await this.#page.api.follow(id, {
      from: needsFrom(log),
      lastId: this.#page.run(id)?.lastId,
      signal,
      onOpen: () => this.#page.reached(),
      onEvents: (events, lastId) => {
        this.#page.setRun(id, () => ({ lastId }));
        batch.add(events);
      },
    });
    batch.flush();
    if (signal.aborted) return true;
    const info = await this.#page.api.getRun({ params: { id } });
    this.#page.addRun(info);
    await this.#readJournal(id);
    return over && restful.includes(info.status);
  }

  #readJournalSoon(id: string): void {
    if (this.#journals.has(id)) return;
    const timer = setTimeout(() => {
      this.#journals.delete(id);
      void this.#readJournal(id).catch(() => undefined); // the next event, and the end, read the journal again
    }, journalEveryMs);
    this.#journals.set(id, timer);
  }

  async #readJournal(id: string): Promise<void> {
    const known = this.#page.run(id)?.entries.length ?? 0;
    const { entries } = await this.#page.api.getJournal({ params: { id }, query: { from: known + 1, limit: 1000 } });
    this.#page.setRun(id, (run) => ({ entries: [...run.entries, ...entries.filter(({ seq }) => seq > (run.entries.at(-1)?.seq ?? 0))] }));
  }

  stop(): void {
    for (const controller of this.#followed.values()) controller.abort();
    this.#followed.clear();
  }

  close(): void {
    this.stop();
    for (const timer of this.#journals.values()) clearTimeout(timer);
  }
}

/** Batches the items that arrive within one frame, so that the page does not render for each word. */
function createBatch<T>(take: (items: readonly T[]) => void): { add(items: readonly T[]): void; flush(): void } {
  let items: T[] = [];
  let frame: number | undefined;
  const flush = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    if (items.length > 0) take(items);
    items = [];
  };
  return {
    add: (more) => {
      items.push(...more);
      frame ??= requestAnimationFrame(flush);
    },
    flush,
  };
}
