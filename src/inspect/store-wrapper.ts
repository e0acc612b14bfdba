import type { Awaitable, RunStore } from '../core/ports/run-store.ts';
import { overlaid } from '../core/util/overlaid.ts';

/** Wraps a store: `methods` replace its own, and all others are its own. */
export const storeWith = <TStore extends RunStore>(store: TStore, methods: Partial<RunStore>): TStore =>
  overlaid<RunStore>(store, methods) as TStore; // the same type as its target

/** Calls `look` with a store's answer and returns the answer unchanged. */
export function after<T>(answer: Awaitable<T>, look: (value: T) => void, failed: (cause: unknown) => void = () => {}): Awaitable<T> {
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
