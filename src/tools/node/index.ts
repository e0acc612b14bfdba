export { type ReadFileOptions, readFile } from './read-file.ts';
