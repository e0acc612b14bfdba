import { messageOf } from '../../core/errors/message-of.ts';
import { ApiFailure } from '../../server/client/api-failure.ts';

/** Failure of a request, or `NOT_REACHABLE` with status 0 if there was no response. */
export const toFailure = (cause: unknown): ApiFailure =>
  cause instanceof ApiFailure ? cause : new ApiFailure(0, { code: 'NOT_REACHABLE', message: messageOf(cause) }, undefined);

/** True when the server lacks the route: it is older than this page, or runs without that feature. */
export const isNotOffered = (cause: unknown): boolean =>
  cause instanceof ApiFailure && ((cause.status === 404 && cause.code === 'NOT_FOUND') || cause.status === 405);
