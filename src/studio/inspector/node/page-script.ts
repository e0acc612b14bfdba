import { readFile } from 'node:fs/promises';

/** Place of this module in the build, also when it runs from source. */
const built = import.meta.url.endsWith('.ts') ? import.meta.url.replace(/(.*)\/src\//, '$1/dist/src/') : import.meta.url;

/** Reads the built script of the inspector's page. @throws `ENOENT` in a clone without a build. */
export const pageScript = (): Promise<string> => readFile(new URL('../page/page-script.js', built), 'utf8');
