import { existsSync } from 'node:fs';
import { isPostgresAddress } from '../core/util/postgres-address.ts';
import { createInspectorServer, type InspectorServer } from '../studio/inspector/node/inspector-server.ts';
import type { CommonFlags } from './flags.ts';
import { withStoredRun } from './open-runtime.ts';
import { print } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { draftsOfRuns } from './workflows.ts';

export interface InspectFlags extends CommonFlags {
  readonly live?: boolean;
  readonly port?: number;
}

/**
 * Serves the inspector until Ctrl-C.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`.
 */
export async function openInspector(runId: string | undefined, flags: InspectFlags): Promise<void> {
  const { db, live = false, port, json = false } = flags;
  if (isPostgresAddress(db)) throw new UsageError('inspect reads only files. Use studio for a PostgreSQL database.');
  if (runId !== undefined && live) throw new UsageError('--live opens the newest run. Give a run or --live.');
  if (runId !== undefined) await withStoredRun(flags, runId, (runtime) => runtime.get(runId));
  const stopped = untilStopped(); // register first: the user may press Ctrl-C as soon as the URL is printed
  const server = await serve(db, port);
  const place = runId === undefined ? (live ? '#live' : '') : `#run=${encodeURIComponent(runId)}`;
  const [url, webSocketUrl] = [`${server.url}${place}`, server.webSocketUrl];
  if (json) print(JSON.stringify({ url, webSocketUrl }));
  else {
    print(`Open ${url}`);
    print(`Showing the runs of ${db}${existsSync(db) ? '' : ' (it does not exist yet)'}. Actors of an XState app appear here too:`);
    print(`  createWebSocketInspector({ url: '${webSocketUrl}' })`);
    print('Anyone with these addresses can watch. Ctrl-C stops.');
  }
  await stopped;
  await server.close();
}

async function serve(db: string, port: number | undefined): Promise<InspectorServer> {
  const workflowOf = async (id: string) => (await draftsOfRuns([id]))[0];
  try {
    return await createInspectorServer({ db, port, workflowOf });
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'EADDRINUSE')
      throw new UsageError(`The port ${port} is in use. Leave out --port to use a free one.`);
    throw cause;
  }
}

/** Settles on SIGINT (Ctrl-C) or SIGTERM. */
const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
