import { WorkflowError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import type { DocumentShelf } from './document-library.ts';
import type { ServerSpace } from './served-space.ts';
import type { ServerLimits } from './server-limits.ts';

type Limits = Pick<ServerLimits, 'runningRuns' | 'threads' | 'documentBytes'>;

/** Time for which starts are only counted, in milliseconds. In a storm, each start would list the runs of all before it. */
const countedMs = 1_000;

/** Limits on a tenant's concurrent work and storage. */
export class TenantLimits {
  readonly #space: Pick<ServerSpace, 'runtime' | 'store'>;
  readonly #limits: Limits;
  /** Runs that are being started, in order. */
  readonly #starting = new Set<string>();
  /** Runs that were active when they were last listed, and starts since: at least as many as those of this process are. */
  #counted: { readonly atMs: number; active: number } = { atMs: Number.NEGATIVE_INFINITY, active: 0 };
  /** Total size in bytes of the documents that are being added. */
  #addingBytes = 0;

  constructor(space: Pick<ServerSpace, 'runtime' | 'store'>, limits: Limits) {
    this.#space = space;
    this.#limits = limits;
  }

  /**
   * Starts a run if the limits allow one more.
   *
   * @throws {WorkflowError} `TOO_MANY_RUNS`, `TOO_MANY_THREADS`, and the errors of `start`.
   */
  async starting<T>(runId: string, threadId: string | undefined, start: () => Promise<T>): Promise<T> {
    const earlier = [...this.#starting];
    this.#starting.add(runId);
    try {
      await this.#checkRunning(runId, earlier);
      if (threadId !== undefined) await this.#checkThreads(threadId);
      return await start();
    } finally {
      this.#starting.delete(runId);
    }
  }

  /** Adds a document if the limit allows it. @throws {WorkflowError} `DOCUMENTS_FULL`, and the errors of `add`. */
  async adding<T>(shelf: DocumentShelf, sizeBytes: number, add: () => T): Promise<Awaited<T>> {
    const { documentBytes: limit } = this.#limits;
    this.#addingBytes += sizeBytes;
    try {
      const kept = (await shelf.sizeBytes?.()) ?? 0;
      if (kept + this.#addingBytes > limit) throw full(limit, kept);
      return await add();
    } finally {
      this.#addingBytes -= sizeBytes;
    }
  }

  async #checkRunning(runId: string, earlier: readonly string[]): Promise<void> {
    const { runningRuns: limit } = this.#limits;
    if (!Number.isFinite(limit)) return;
    const isRecent = systemClock.monotonic() - this.#counted.atMs < countedMs;
    if (isRecent && this.#counted.active < limit) this.#counted.active++;
    else {
      const running = await this.#space.runtime.list({ status: 'running', limit: limit + 1 });
      const ids = new Set([...earlier, ...running.map(({ id }) => id)]);
      ids.delete(runId);
      if (ids.size >= limit) throw tooManyRuns(limit);
      for (const id of this.#starting) ids.add(id);
      this.#counted = { atMs: systemClock.monotonic(), active: ids.size };
    }
  }

  async #checkThreads(threadId: string): Promise<void> {
    const { threads: limit } = this.#limits;
    if (!Number.isFinite(limit)) return;
    const isKnown = (await this.#space.runtime.list({ threadId, limit: 1 })).length > 0;
    if (!isKnown && (await this.#space.store.tally()).threads >= limit) throw tooManyThreads(limit);
  }
}

const tooManyRuns = (limit: number): WorkflowError =>
  new WorkflowError({
    code: 'TOO_MANY_RUNS',
    message: `There are already ${limit} active runs, the maximum.`,
    hint: 'Wait until a run ends, or cancel one. GET /api/runs?status=running lists them. The limit is an option of the server.',
    retryable: true,
    data: { limit },
  });

const tooManyThreads = (limit: number): WorkflowError =>
  new WorkflowError({
    code: 'TOO_MANY_THREADS',
    message: `There are already ${limit} conversations, the maximum.`,
    hint: 'Remove some with DELETE /api/threads/ID, or continue an existing one. The limit is an option of the server.',
    data: { limit },
  });

const full = (limit: number, kept: number): WorkflowError =>
  new WorkflowError({
    code: 'DOCUMENTS_FULL',
    message: `The documents would exceed ${limit} bytes together. They have ${kept} now.`,
    hint: 'Remove some with DELETE /api/documents/ID. The limit is an option of the server.',
    data: { limit, kept },
  });
