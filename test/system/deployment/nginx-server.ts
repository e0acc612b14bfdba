import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export interface NginxOptions {
  /** A file of `/etc/nginx/conf.d`. */
  readonly site: string;
  /** Folder for all that nginx writes. */
  readonly folder: string;
  /** Port on which it listens. */
  readonly port: number;
}

/** Starts Debian's nginx with one site. */
export async function startNginx({ site, folder, port }: NginxOptions): Promise<AsyncDisposable> {
  mkdirSync(join(folder, 'temp'), { recursive: true });
  chmodSync(folder, 0o755); // workers of root's nginx have a user of their own
  writeFileSync(join(folder, 'site.conf'), site);
  const config = join(folder, 'nginx.conf');
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp/${name};`);
  writeFileSync(
    config,
    `daemon off; pid ${folder}/nginx.pid; error_log stderr warn; events {}
http { access_log off; ${temp.join(' ')} include ${folder}/site.conf; }`,
  );
  const nginx = spawn('nginx', ['-e', 'stderr', '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(nginx, 'close');
  await expect.poll(() => (nginx.exitCode === null ? isOpen(port) : 'nginx has ended')).not.toBe(false);
  if (nginx.exitCode !== null) throw new Error('nginx has ended.');
  return {
    async [Symbol.asyncDispose]() {
      nginx.kill('SIGTERM');
      await ended;
    },
  };
}

const isOpen = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  );

/** Writes a certificate for a name, signed by itself, and its key. Returns their paths. */
export function makeCertificate(name: string, folder: string): { readonly certificate: string; readonly key: string } {
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
  execFileSync('openssl', [...made, '-addext', `subjectAltName=DNS:${name}`, '-out', certificate, '-keyout', key], { stdio: 'ignore' });
  return { certificate, key };
}
