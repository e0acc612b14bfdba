/** Reason of a stream that the server ends: it is closing, or its reader takes nothing. The run continues. */
export class StreamClosedError extends Error {}
