import { toErrorInfo } from '../../core/errors/errors.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { Run, RunResult } from '../drive/run.ts';

/** Handle on a run that is still being looked up. */
export class PendingRun<TOutput> implements Run<TOutput> {
  readonly id: string;
  readonly threadId?: string;
  readonly result: Promise<RunResult<TOutput>>;
  readonly #found: Promise<Run<TOutput>>;

  constructor(id: string, threadId: string | undefined, found: Promise<Run<TOutput>>) {
    this.id = id;
    if (threadId !== undefined) this.threadId = threadId;
    this.#found = found;
    this.result = found.then(
      ({ result }) => result,
      (cause) => ({ status: 'failed', error: toErrorInfo(cause), resumable: true }),
    );
  }

  async *events(options?: { readonly from?: number }): AsyncGenerator<RunEvent, void, undefined> {
    let run: Run<TOutput>;
    try {
      run = await this.#found;
    } catch {
      return; // `result` holds the reason
    }
    yield* run.events(options);
  }
}
