export { type DocumentFolder, type DocumentFolderOptions, documentFolder } from './document-folder.ts';
export { type Listener, type ListenOptions, listen } from './listen.ts';
export { staticFiles } from './static-files.ts';
