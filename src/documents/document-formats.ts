/** Makes the text of a document of what its file says. Throws `DOCUMENT_INVALID` where that is something else. */
export type DocumentFormat = (file: { readonly name: string; readonly text: string }) => string;

/** Formats by the ending of the file's name, in lower case: `.json`. */
export type DocumentFormats = Readonly<Record<string, DocumentFormat>>;
