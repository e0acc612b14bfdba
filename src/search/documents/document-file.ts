/** The file of a document. The extension of its name determines the type. */
export interface DocumentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}
