import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunStatus } from '../../core/ports/run-store.ts';
import type { ApiError } from '../api/api-error.ts';
import { routes } from '../api/routes.ts';
import { ApiFailure } from './api-failure.ts';
import { type Frame, readFrames } from './read-frames.ts';
import { pathOf, type Send } from './sender.ts';

export interface RunStreamOptions {
  readonly signal?: AbortSignal | undefined;
  readonly from?: number | undefined;
  readonly follow?: boolean | undefined;
  /** Id of the last event that was read; `from` is then ignored. */
  readonly lastId?: string | undefined;
}

/** Events that arrived together. */
export interface StreamedEvents {
  readonly events: readonly RunEvent[];
  /** Id of the last of these events that has one. */
  readonly lastId: string | undefined;
}

/**
 * Opens the event stream of a run once.
 *
 * @returns the run's final status, or `undefined` for a broken stream.
 * @throws {ApiFailure} for a stream that the server rejects or ends with an error.
 */
export async function openRunStream(
  send: Send,
  runId: string,
  { signal, from, follow, lastId }: RunStreamOptions,
): Promise<AsyncGenerator<StreamedEvents, RunStatus | undefined, undefined>> {
  const query = { ...(lastId === undefined ? { from } : {}), ...(follow ? { follow } : {}) };
  const path = pathOf(routes.streamEvents.path, { params: { id: runId }, query });
  const headers: Record<string, string> = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  const { body } = await send(path, { headers, ...(signal ? { signal } : {}) });
  return readStream(body, lastId);
}

async function* readStream(body: Response['body'], before: string | undefined): AsyncGenerator<StreamedEvents, RunStatus | undefined> {
  let lastId = before;
  for await (const frames of body ? readFrames(body) : []) {
    const end = frames.findIndex(({ event }) => event === 'end' || event === 'error');
    const said = end < 0 ? frames : frames.slice(0, end);
    lastId = said.findLast(({ id }) => id !== undefined)?.id ?? lastId;
    if (said.length > 0) yield { events: said.map(({ data }) => JSON.parse(data) as RunEvent), lastId };
    const last = frames[end];
    if (last) return endOf(last);
  }
  return undefined;
}

function endOf({ event, data }: Frame): RunStatus {
  if (event === 'error') throw new ApiFailure(500, JSON.parse(data) as ApiError, undefined);
  return (JSON.parse(data) as { readonly status: RunStatus }).status;
}
