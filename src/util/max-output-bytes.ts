/** How large what a node, a step, a human or a caller gives to a run may be, as JSON, unless it is said otherwise: 8 MiB. */
export const defaultMaxOutputBytes: number = 8 * 1024 * 1024;
