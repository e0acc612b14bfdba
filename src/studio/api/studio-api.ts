import type { RunEvent } from '../../core/ports/run-event.ts';
import type { ThreadSummary, WaitingList, WaitingRun } from '../../server/api/calls.ts';
import { type AgentClient, createClient } from '../../server/client/create-client.ts';
import { openRunStream } from '../../server/client/run-stream.ts';
import { sender } from '../../server/client/sender.ts';
import { retryingFetch } from './retrying-fetch.ts';

interface FollowOptions {
  /** Number of the first event. */
  readonly from: number;
  /** Id of the last message that was read, from which the server knows the live output that the journal does not have. */
  readonly lastId?: string | undefined;
  readonly signal: AbortSignal;
  onOpen(): void;
  onEvents(events: readonly RunEvent[], lastId: string | undefined): void;
}

/** The server's public API, as used by this page. All methods throw `ApiFailure`, or the errors of `fetch`. */
export interface StudioApi extends AgentClient {
  openSession(token: string): Promise<void>;
  /** Finds threads, newest first. A search covers all threads. */
  findThreads(text: string): Promise<readonly ThreadSummary[]>;
  /** Reads at least `count` waiting runs if there are that many, newest start first. `next` is set when there are more. */
  findWaiting(count: number): Promise<WaitingList>;
  /** Follows a run's events from a number until the server ends the stream. @returns true if the server ended it. */
  follow(runId: string, options: FollowOptions): Promise<boolean>;
}

const shownThreads = 100;
const maxPages = 20;

export interface StudioApiOptions {
  /** Called when a request is held after a 429, with the end of the delay in milliseconds since 1970. */
  onHeld(untilMs: number): void;
}

/** Creates the client for the server that served this page. */
export function createStudioApi({ onHeld }: StudioApiOptions, baseUrl: string = location.origin): StudioApi {
  const given = retryingFetch((...request) => fetch(...request), onHeld);
  const send = sender({ baseUrl, fetch: given });
  const client = createClient({ baseUrl, fetch: given });
  return {
    ...client,
    async openSession(token) {
      await send('/api/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) });
    },
    async findThreads(text) {
      const found: ThreadSummary[] = [];
      let before: string | undefined;
      // each search request covers only a part of the threads
      for (let page = 0; page < maxPages && found.length < shownThreads; page++) {
        const query = { limit: shownThreads, ...(text ? { q: text } : {}), ...(before === undefined ? {} : { before }) };
        const { threads, next } = await client.listThreads({ query });
        found.push(...threads);
        before = next;
        if (before === undefined) break;
      }
      return found;
    },
    async findWaiting(count) {
      const runs: WaitingRun[] = [];
      let before: string | undefined;
      do {
        const page = await client.listWaiting({
          query: { limit: Math.min(200, count - runs.length), ...(before === undefined ? {} : { before }) },
        });
        runs.push(...page.runs);
        before = page.next;
      } while (before !== undefined && runs.length < count);
      return { runs, ...(before === undefined ? {} : { next: before }) };
    },
    async follow(runId, { from, lastId, signal, onOpen, onEvents }) {
      const stream = await openRunStream(send, runId, { from, lastId, signal });
      onOpen();
      for (let next = await stream.next(); ; next = await stream.next()) {
        if (next.done) return next.value !== undefined;
        onEvents(next.value.events, next.value.lastId);
      }
    },
  };
}
