/** The runtime's source of time; a test can replace it to stop time. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. May jump. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never goes backwards. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs`.
   * `background: true` = the timer does not keep the process alive. Returns the function that cancels it.
   */
  schedule(delayMs: number, callback: () => void, options?: { readonly background?: boolean }): () => void;
}
