import type { Awaitable, RunStore } from '../core/ports/run-store.ts';

/** Wraps a store: `methods` replace its own, and all others are its own. */
export function storeWith<TStore extends RunStore>(store: TStore, methods: Partial<RunStore>): TStore {
  // a proxy of a frozen store could not replace its methods
  const names: TStore = Object.assign(Object.create(Object.getPrototypeOf(store)), store);
  return new Proxy<TStore>(names, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof RunStore];
      const value: unknown = Reflect.get(store, name, store);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}

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
