import { ApiFailure } from '../../client/api-failure.ts';

/** What the server refused, or `NOT_REACHABLE` with status 0 when there was no answer. */
export const toFailure = (cause: unknown): ApiFailure =>
  cause instanceof ApiFailure
    ? cause
    : new ApiFailure(0, { code: 'NOT_REACHABLE', message: cause instanceof Error ? cause.message : String(cause) }, undefined);

/** The server has no such route: it is older than this page, or was made without it. */
export const isNotOffered = (cause: unknown): boolean =>
  cause instanceof ApiFailure && ((cause.status === 404 && cause.code === 'NOT_FOUND') || cause.status === 405);
