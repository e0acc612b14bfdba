import type { ChromaPackage } from '../../../src/search/indexes/chroma-package.ts';
import { installedFile } from '../install-folder.ts';

/** Imports what was installed, as `import('chromadb')` would. */
export const importChroma = (): Promise<ChromaPackage> => import(installedFile('chroma', 'chromadb/dist/chromadb.mjs').href);
