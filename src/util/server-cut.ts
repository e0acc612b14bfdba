/** Why a server ends a stream that its reader has not left: it is being closed, or the reader takes nothing. What is told there goes on. */
export class ServerCut extends Error {}
