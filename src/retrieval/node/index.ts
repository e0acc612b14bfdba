export {
  type FolderDocuments,
  type FolderDocumentsOptions,
  folderDocuments,
  type SkippedFile,
} from './folder-documents.ts';
