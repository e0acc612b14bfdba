/** Data that a thread holds; its calls are judged by `private` and `untrusted`. A bit that is set stays set. */
export interface Taint {
  /** Data that is not public was read. */
  readonly private: boolean;
  /** Text that a stranger may have written was read: whatever the model wants from now on may be what that text wants. */
  readonly untrusted: boolean;
  /** The user's own words held personal data. For display: no call is judged by it. Absent in stored taints of earlier versions: true. */
  readonly user?: boolean;
}
