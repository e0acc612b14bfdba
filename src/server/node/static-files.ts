import { readFile } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { acceptsGzip } from '../http/compressed.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  json: 'application/json',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
};

/** A name with a fingerprint of the content never changes. */
const forever = 'public, max-age=31536000, immutable';

/**
 * Serves the files of a folder; `/` is its index.html. A file with a compressed copy beside it (`app.js.gz`) is sent compressed to those who
 * accept that.
 *
 * @param missing Text of the page shown while the folder has no index.html.
 */
export function staticFiles(folder: string, missing: string): (path: string, request?: Request) => Promise<Response | undefined> {
  return async (path, request) => {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const type = /^[\w-]+(?:[./][\w-]+)*\.(\w+)$/.exec(name)?.[1];
    if (type === undefined || !Object.hasOwn(types, type)) return undefined;
    const file = normalize(join(folder, name));
    if (!file.startsWith(folder + sep)) return undefined;
    const zipped = acceptsGzip(request) ? await readFile(`${file}.gz`).catch(() => undefined) : undefined;
    const bytes = zipped ?? (await readFile(file).catch(() => undefined));
    if (!bytes) return path === '/' ? new Response(missing, { headers: { 'content-type': 'text/plain; charset=utf-8' } }) : undefined;
    const headers = new Headers({ 'content-type': types[type] ?? '', vary: 'accept-encoding' });
    if (zipped) headers.set('content-encoding', 'gzip');
    if (name.startsWith('assets/')) headers.set('cache-control', forever);
    return new Response(new Uint8Array(bytes), { headers });
  };
}
