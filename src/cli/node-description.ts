/** What a node has done, in a few words for its line, and lines below it. */
export interface NodeDescription {
  readonly summary: string;
  readonly lines?: readonly string[];
  /** The node has done its work, but a step of it has failed. */
  readonly failed?: boolean;
}
