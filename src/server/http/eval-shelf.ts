import type { Awaitable } from '../../core/ports/run-store.ts';
import type { EvalDetails, EvalList } from '../api/evals.ts';

/** Reports of evals that one tenant may read. */
export interface EvalShelf {
  list(): Awaitable<Omit<EvalList, 'available'>>;
  /** Returns `undefined` for an unknown id. */
  get(id: string): Awaitable<EvalDetails | undefined>;
}
