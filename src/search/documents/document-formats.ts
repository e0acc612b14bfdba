/** Converts the content of a file to the text of a document. Throws `DOCUMENT_INVALID` for other content. */
export type DocumentFormat = (file: { readonly name: string; readonly text: string }) => string;

/** Formats by file extension, in lower case: `.json`. */
export type DocumentFormats = Readonly<Record<string, DocumentFormat>>;
