/** Request to the process, one line of JSON. */
export interface MontyRequest {
  readonly moduleUrl: string;
  readonly code: string;
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
  readonly maxOutputBytes: number;
}
