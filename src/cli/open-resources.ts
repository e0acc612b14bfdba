/** Resources that a command has opened. They are closed in reverse order. */
export interface OpenResources {
  add(close: () => unknown): void;
  close(): Promise<void>;
}

export function createOpenResources(): OpenResources {
  const closers: (() => unknown)[] = [];
  return {
    add: (close) => void closers.push(close),
    async close() {
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
    },
  };
}
