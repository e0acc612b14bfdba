import type { JsonObject } from '../../../core/ports/json.ts';
import { systemClock } from '../../../core/util/system-clock.ts';
import type { Runtime } from '../../../engine/run/runtime.ts';

/** Maximum number of threads without a run; the oldest is dropped first. */
const maxThreads = 10_000;

interface CreatedThread {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly metadata: JsonObject;
}

/** Threads that clients have created and that have no run yet. They exist in this process alone: the store has a thread from its first run. */
class EmptyThreads {
  readonly #threads = new Map<string, CreatedThread>();

  get(id: string): CreatedThread | undefined {
    return this.#threads.get(id);
  }

  add(id: string, metadata: JsonObject): CreatedThread {
    const created = { at: systemClock.now(), metadata };
    this.#threads.set(id, created);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > maxThreads && oldest !== undefined) this.#threads.delete(oldest);
    return created;
  }

  delete(id: string): void {
    this.#threads.delete(id);
  }
}

const ofRuntimes = new WeakMap<Runtime, EmptyThreads>();

export function emptyThreadsOf(runtime: Runtime): EmptyThreads {
  const known = ofRuntimes.get(runtime) ?? new EmptyThreads();
  ofRuntimes.set(runtime, known);
  return known;
}
