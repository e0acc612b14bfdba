import { useEffect, useState } from 'react';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import { toFailure } from '../api/to-failure.ts';

export interface Reading<T> {
  readonly value?: T | undefined;
  readonly trouble?: ApiFailure;
  /** True after 300 ms without an answer. */
  readonly isSlow?: boolean;
}

/** Reads from the server, and again for each new number. The former value stays until the next one arrives. */
export function useRead<T>(read: () => Promise<T> | undefined, reads: number): Reading<T> {
  const [state, setState] = useState<Reading<T> & { readonly by?: typeof read }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number means another reading
  useEffect(() => {
    let isLeft = false;
    const set = (next: Reading<T>): void => {
      if (!isLeft) setState({ ...next, by: read });
    };
    const timer = setTimeout(() => !isLeft && setState((now) => (now.by === read ? now : { isSlow: true })), 300);
    void Promise.resolve(read())
      .then(
        (value) => set({ value }),
        (cause: unknown) => set({ trouble: toFailure(cause) }),
      )
      .finally(() => clearTimeout(timer));
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [read, reads]);
  return state.by === read || state.isSlow ? state : {};
}
