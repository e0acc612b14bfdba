export {
  type FolderDocuments,
  type FolderDocumentsOptions,
  folderDocuments,
  type SkippedFile,
} from './folder-documents.ts';
export { loadContract } from './load-contract.ts';
export { type LoadDocumentOptions, loadDocument } from './load-document.ts';
