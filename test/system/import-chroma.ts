import type { ChromaPackage } from 'agent-machines/search';
import { installedFile } from './install-folder.ts';

/** Imports what was installed, as `import('chromadb')` would. */
export const importChroma = (): Promise<ChromaPackage> => import(installedFile('chroma', 'chromadb/dist/chromadb.mjs').href);
