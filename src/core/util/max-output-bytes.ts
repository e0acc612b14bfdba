/** Default maximum JSON size of a value that a node, a step, a human or a caller passes to a run: 8 MiB. */
export const defaultMaxOutputBytes: number = 8 * 1024 * 1024;
