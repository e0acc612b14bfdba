import { eventStream, eventStreamHeaders as headers, longestStallMs } from '../http/event-stream.ts';
import { type EventPlace, followEvents } from '../http/follow-events.ts';
import { requestInvalid } from '../http/refusal.ts';
import type { RouteHandler } from '../http/route-handler.ts';

const heartbeatMs = 15_000;

/** Streams the events of a run as server-sent events, from the reader's position. */
export const streamEvents: RouteHandler<'streamEvents'> = async ({
  params,
  query: { from, follow },
  space,
  request,
  requestId,
  streams,
}) => {
  const after = placeOf(request);
  await space.runtime.get(params.id); // fails with the status of an unknown run
  if (request.method === 'HEAD') return new Response(null, { headers }); // a HEAD stream has no reader and would stay open forever
  const stop = streams.take(space.tenant);
  const events = followEvents(space, params.id, { from, after, follow, signal: stop.signal });
  const onEnd = (): void => streams.release(stop);
  const body = eventStream({ events, clock: space.clock, requestId, heartbeatMs, stalledMs: longestStallMs, stop, onEnd });
  return new Response(body, { headers });
};

/** Position that a reconnecting reader sends: `SEQ`, `SEQ.LEASE`, or `SEQ.LEASE.SIZE` after live output. */
function placeOf({ headers }: Request): EventPlace | undefined {
  const given = headers.get('last-event-id');
  if (given === null || given === '') return undefined;
  if (!/^\d{1,15}(?:\.\d{1,15}){0,2}$/.test(given)) throw requestInvalid('Last-Event-ID is not the id of an event.');
  const [seq = 0, epoch, size] = given.split('.').map(Number);
  return { seq, ...(epoch === undefined ? {} : { epoch }), ...(size === undefined ? {} : { size }) };
}
