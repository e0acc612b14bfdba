export type { TextDocument } from '../../core/ports/text-document.ts';
export type { DocumentFormat, DocumentFormats } from './document-formats.ts';
export {
  type FolderDocuments,
  type FolderDocumentsOptions,
  folderDocuments,
  type SkippedFile,
} from './folder-documents.ts';
export { type LoadDocumentOptions, loadDocument } from './load-document.ts';
