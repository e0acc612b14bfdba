import type { Awaitable, RunStore } from '../ports/run-store.ts';
import { hasCode } from '../util/has-code.ts';
import { RunTraces } from './run-traces.ts';
import { type TelemetryOptions, toTelemetry } from './telemetry-options.ts';
import { withoutTrace } from './trace-context.ts';

/** Stores that are told already: nothing is told twice. */
const known = new WeakSet<object>();

/**
 * A store that also makes OpenTelemetry spans of what is committed to it, by the conventions for generative AI: all runs of every runtime on
 * it are told. Nothing waits for a span, and no run fails by one; what a tracer throws goes to `diag` of `@opentelemetry/api`. A store that
 * is traced already is given back as it is.
 *
 * @example const runtime = createRuntime({ store: tracedStore(sqliteStore({ path: 'agents.db' })) });
 */
export function tracedStore<TStore extends RunStore>(store: TStore, options: TelemetryOptions = {}): TStore {
  if (known.has(store)) return store;
  const traces = new RunTraces(toTelemetry(options), (runId) => store.journal(runId));
  const told: Pick<RunStore, 'create' | 'acquire' | 'append' | 'settle' | 'cancel' | 'lost' | 'journal'> = {
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
    journal(runId) {
      const journal = store.journal(runId);
      return journal instanceof Promise ? journal.then(withoutTrace) : withoutTrace(journal);
    },
    lost: (leases) =>
      after(store.lost(leases), (lost) => {
        for (const lease of lost) traces.lost(lease);
      }),
  };
  const names: TStore = Object.assign(Object.create(Object.getPrototypeOf(store)), store); // of a frozen store, a proxy could not answer
  const proxy = new Proxy<TStore>(names, {
    get(_, name) {
      if (Object.hasOwn(told, name)) return told[name as keyof typeof told];
      const value: unknown = Reflect.get(store, name, store);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
  known.add(proxy);
  return proxy;
}

/** Looks at what a store answers, and hands it on as it is. */
function after<T>(answer: Awaitable<T>, look: (value: T) => void, failed: (cause: unknown) => void = () => {}): Awaitable<T> {
  if (!(answer instanceof Promise)) {
    look(answer);
    return answer;
  }
  return answer.then(
    (value) => {
      look(value);
      return value;
    },
    (cause: unknown) => {
      failed(cause);
      throw cause;
    },
  );
}
