/** Kinds of data in a thread; `private` and `untrusted` decide about its calls. A flag never goes back to false. */
export interface Taint {
  /** The thread has read data that is not public. */
  readonly private: boolean;
  /** The thread has read untrusted external text, so the model's later requests may follow that text's instructions. */
  readonly untrusted: boolean;
  /** The user's own words held personal data. For display only. Absent in taints of earlier versions: true. */
  readonly user?: boolean;
}
