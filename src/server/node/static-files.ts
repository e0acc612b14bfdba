import { readFile } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';

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
 * Serves the files of a folder; `/` is its index.html.
 *
 * @param missing Text of the page shown while the folder has no index.html.
 */
export function staticFiles(folder: string, missing: string): (path: string) => Promise<Response | undefined> {
  return async (path) => {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const type = /^[\w-]+(?:[./][\w-]+)*\.(\w+)$/.exec(name)?.[1];
    if (type === undefined || !Object.hasOwn(types, type)) return undefined;
    const file = normalize(join(folder, name));
    if (!file.startsWith(folder + sep)) return undefined;
    const bytes = await readFile(file).catch(() => undefined);
    if (!bytes) return path === '/' ? new Response(missing, { headers: { 'content-type': 'text/plain; charset=utf-8' } }) : undefined;
    const headers = new Headers({ 'content-type': types[type] ?? '' });
    if (name.startsWith('assets/')) headers.set('cache-control', forever);
    return new Response(new Uint8Array(bytes), { headers });
  };
}
