/** A document's file. What it is, its name's ending says. */
export interface DocumentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}
