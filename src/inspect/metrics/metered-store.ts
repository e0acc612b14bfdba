import { toErrorInfo } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { Awaitable, RunStore } from '../../core/ports/run-store.ts';
import { lazyStores } from '../../core/util/lazy-entry.ts';
import { warn } from '../../core/util/warn.ts';
import { after, storeWith } from '../store-wrapper.ts';
import type { CountedMetric } from './counted-metric.ts';
import type { RunCounts } from './run-counts.ts';

interface StoreCounts {
  readonly runs: RunCounts;
  readonly duration: CountedMetric;
  readonly errors: CountedMetric;
  /** Called when the store closes. */
  readonly closed: () => void;
}

/** Wraps a store so that its commits count as facts about runs, and its calls are timed. Decision 446: no other event counts. */
export function meteredStore<TStore extends RunStore>(store: TStore, { runs, duration, errors, closed }: StoreCounts): TStore {
  const timed = storeTimer(duration, errors);
  const wrapped = storeWith(store, {
    create: (run, entries, request) =>
      timed(
        'create',
        () => store.create(run, entries, request),
        (acquired) => runs.created(acquired, entries[0]),
      ),
    acquire: (runId, request) =>
      timed(
        'acquire',
        () => store.acquire(runId, request),
        (acquired) => runs.acquired(acquired),
      ),
    append: (lease, entry, activeMs) =>
      timed(
        'append',
        () => store.append(lease, entry, activeMs),
        () => runs.appended(lease, entry),
      ),
    settle: (lease, settlement) =>
      timed(
        'settle',
        () => store.settle(lease, settlement),
        () => runs.settled(lease, settlement),
      ),
    cancel: (runId, request) =>
      timed(
        'cancel',
        () => store.cancel(runId, request),
        ({ record, entry }) => runs.ended(record, entry, { status: 'cancelled', activeMs: record.activeMs }),
      ),
    renew: (lease, request) => timed('renew', () => store.renew(lease, request)),
    lost: (leases) => timed('lost', () => store.lost(leases)),
    read: (runId) => timed('read', () => store.read(runId)),
    journal: (runId) => timed('journal', () => store.journal(runId)),
    list: (query) => timed('list', () => store.list(query)),
    turns: (threadId, query) => timed('turns', () => store.turns(threadId, query)),
    remove: (place) => timed('remove', () => store.remove(place)),
    tally: () => timed('tally', () => store.tally()),
    close: () => {
      closed();
      return store.close();
    },
  });
  if (lazyStores.has(store)) lazyStores.add(wrapped); // it keeps entries as they come, so their events must stay lazy
  return wrapped;
}

type Timed = <T>(operation: string, call: () => Awaitable<T>, look?: (value: T) => void) => Awaitable<T>;

/** Returns a function that times a call and passes its answer to `look`. */
function storeTimer(duration: CountedMetric, errors: CountedMetric): Timed {
  let isWarned = false;
  const safely = (count: () => void): void => {
    try {
      count();
    } catch (cause) {
      // the commit has happened, and its run must go on
      if (!isWarned) warn(`A metric was not counted: ${messageOf(cause)}`, 'UNKNOWN');
      isWarned = true;
    }
  };
  return <T>(operation: string, call: () => Awaitable<T>, look: (value: T) => void = () => {}): Awaitable<T> => {
    const begun = performance.now();
    const ended = (): void => duration.add((performance.now() - begun) / 1000, operation);
    const failed = (cause: unknown): void =>
      safely(() => {
        ended();
        errors.add(1, operation, toErrorInfo(cause).code);
      });
    let answer: Awaitable<T>;
    try {
      answer = call();
    } catch (cause) {
      failed(cause);
      throw cause;
    }
    return after(
      answer,
      (value) =>
        safely(() => {
          ended();
          look(value);
        }),
      failed,
    );
  };
}
