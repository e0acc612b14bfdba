export { type Listener, type ListenOptions, listen } from './listen.ts';
export { staticFiles } from './static-files.ts';
