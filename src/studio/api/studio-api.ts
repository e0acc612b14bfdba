import type { ThreadSummary, WaitingList, WaitingRun } from '../../api/calls.ts';
import { type AgentClient, createClient } from '../../client/create-client.ts';
import { openRunStream } from '../../client/run-stream.ts';
import { sender } from '../../client/sender.ts';
import type { RunEvent } from '../../ports/run-event.ts';
import { patientFetch } from './patient-fetch.ts';

interface FollowOptions {
  /** Number of the first event. */
  readonly from: number;
  /** Id of the last message that was read: the server knows by it what of that was never written down. */
  readonly lastId?: string | undefined;
  readonly signal: AbortSignal;
  onOpen(): void;
  onEvents(events: readonly RunEvent[], lastId: string | undefined): void;
}

/** The server's public API, as this page uses it. All methods throw `ApiFailure`, or what `fetch` throws. */
export interface StudioApi extends AgentClient {
  openSession(token: string): Promise<void>;
  /** The latest first; a search looks through all of them. */
  findThreads(text: string): Promise<readonly ThreadSummary[]>;
  /** So many of those that were started last, or more; with `next` when there are others. */
  findWaiting(count: number): Promise<WaitingList>;
  /** Tells of events from a number on until the server ends the stream. @returns whether it did. */
  follow(runId: string, options: FollowOptions): Promise<boolean>;
}

const shownThreads = 100;
const maxPages = 20;

export interface StudioApiOptions {
  /** Told until when a request is kept that was too much at once, in milliseconds since 1970. */
  onHeld(untilMs: number): void;
}

/** What this page asks of the server that it came from. */
export function createStudioApi({ onHeld }: StudioApiOptions, baseUrl: string = location.origin): StudioApi {
  const given = patientFetch((...request) => fetch(...request), onHeld);
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
      // a search looks through some of them at a time
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
