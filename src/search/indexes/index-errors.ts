import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { Embedder } from '../../core/ports/embedder.ts';

/** Identity of an index's embedder, stored with the index. */
export type EmbedderMark = Pick<Embedder, 'name' | 'dimensions'>;

export const vectorInvalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'VECTOR_INVALID', message, hint });

export const indexClosed = (name: string): WorkflowError =>
  new WorkflowError({ code: 'INDEX_CLOSED', message: `The ${name} index is closed.`, hint: 'Open it again.' });

/** @param retryable true if the same call may succeed later. */
export const indexUnavailable = (place: string, cause: unknown, retryable: boolean): WorkflowError =>
  new WorkflowError({
    code: 'INDEX_UNAVAILABLE',
    message: `The index ${place} cannot be used: ${messageOf(cause)}`,
    hint: retryable ? 'Check that it is reachable, then retry.' : 'Check its path or address, and the permissions.',
    retryable,
    cause,
  });

export const indexCorrupt = (place: string, reason: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'INDEX_CORRUPT',
    message: `The index ${place} is damaged: ${reason}`,
    hint: 'Delete it and index the documents again.',
    cause,
  });

/** @throws {WorkflowError} `INDEX_OF_OTHER_EMBEDDER` for an index of another embedder. */
export function assertSameEmbedder(place: string, stored: EmbedderMark, given: EmbedderMark): void {
  if (stored.name === given.name && stored.dimensions === given.dimensions) return;
  throw new WorkflowError({
    code: 'INDEX_OF_OTHER_EMBEDDER',
    message: `The index ${place} has vectors of "${stored.name}" (${stored.dimensions} dimensions), not of "${given.name}" (${given.dimensions}).`,
    hint: 'Use the embedder that it was made with, or make another index.',
    data: {
      stored: { name: stored.name, dimensions: stored.dimensions },
      given: { name: given.name, dimensions: given.dimensions },
    },
  });
}
