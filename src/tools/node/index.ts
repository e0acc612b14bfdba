export * from '../web/index.ts';
export { type ReadFileOptions, readFile } from './read-file.ts';
