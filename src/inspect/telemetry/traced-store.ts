import type { Awaitable, RunStore, StoredTurns } from '../../core/ports/run-store.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { after, storeWith } from '../store-wrapper.ts';
import { RunTraces } from './run-traces.ts';
import { type TelemetryOptions, toTelemetry } from './telemetry-options.ts';
import { withoutTrace } from './trace-context.ts';

/** Stores that are already traced; wrapping one twice would duplicate spans. */
const known = new WeakSet<object>();

/**
 * Wraps a store and creates OpenTelemetry spans from its commits, following the conventions for generative AI. All runs of every runtime on
 * the store are traced. Spans never delay or fail a run; errors of a tracer go to `diag` of `@opentelemetry/api`. An already traced store
 * is returned unchanged.
 *
 * @example const runtime = createRuntime({ store: tracedStore(sqliteStore({ path: 'agents.db' })) });
 */
export function tracedStore<TStore extends RunStore>(store: TStore, options: TelemetryOptions = {}): TStore {
  if (known.has(store)) return store;
  // Decision 306: spans come from commits, so a crash leaves no span of work that never happened.
  const traces = new RunTraces(toTelemetry(options), (runId) => store.journal(runId));
  const told: Pick<RunStore, 'create' | 'acquire' | 'append' | 'settle' | 'turns' | 'cancel' | 'lost' | 'journal'> = {
    create(run, [first, ...kept], request) {
      const { start, created } = traces.begin(run, first);
      return after(store.create(run, [start, ...kept], request), created);
    },
    acquire: (runId, request) => after(store.acquire(runId, request), (acquired) => traces.resume(acquired)),
    append: (lease, entry, activeMs) =>
      after(
        store.append(lease, entry, activeMs),
        () => traces.committed(lease, entry),
        (cause) => hasCode(cause, 'RUN_FENCED') && traces.lost(lease),
      ),
    settle: (lease, settlement) =>
      after(
        store.settle(lease, settlement),
        () => traces.settled(lease, settlement),
        () => traces.lost(lease),
      ),
    cancel: (runId, request) => after(store.cancel(runId, request), (cancelled) => traces.cancelled(cancelled)),
    journal: (runId) => changed(store.journal(runId), withoutTrace),
    turns: (threadId, query) => changed(store.turns(threadId, query), turnsWithoutTrace),
    lost: (leases) =>
      after(store.lost(leases), (lost) => {
        for (const lease of lost) traces.lost(lease);
      }),
  };
  const proxy = storeWith(store, told);
  known.add(proxy);
  return proxy;
}

const changed = <T>(answer: Awaitable<T>, change: (value: T) => T): Awaitable<T> =>
  answer instanceof Promise ? answer.then(change) : change(answer);

const turnsWithoutTrace = (found: StoredTurns): StoredTurns => ({
  ...found,
  turns: found.turns.map((turn) => ('entries' in turn ? { ...turn, entries: withoutTrace(turn.entries) } : turn)),
});
