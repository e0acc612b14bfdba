/** What a thread holds, by which its calls are judged. It lasts as long as the thread: nothing takes it back. */
export interface Taint {
  /** Data that is not public was read. */
  readonly private: boolean;
  /** Text that a stranger may have written was read: whatever the model wants from now on may be what that text wants. */
  readonly untrusted: boolean;
}
