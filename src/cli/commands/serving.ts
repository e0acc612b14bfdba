import type { Command } from 'commander';
import { databaseFile, defaultDb, toCount, toMany, toPort, withAcceptance, withSettings, withTelemetry } from '../flags.ts';
import type { ServeFlags } from '../serving.ts';
import type { Session } from './program.ts';

/** Commands that start servers and workers. */
export function addServing(program: Command, { exit }: Session): void {
  withServer(program.command('serve'))
    .description('serve the workflows to programs and to a browser: prints one address')
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../serve.ts');
      exit(await serve(flags));
    });

  withServer(program.command('studio'))
    .description('serve the workflows and open the studio in the browser')
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../serve.ts');
      exit(await serve({ ...flags, open: true }));
    });
}

const withServer = (command: Command): Command =>
  withAcceptance(withTelemetry(withSettings(command)))
    .option('--db <file>', 'database of the runs', databaseFile, defaultDb)
    .option('--app <file>', 'serve the workflows of a module of yours, its default export, instead of those of the package')
    .option('--watch', 'load --app again when one of its files has changed; runs in flight go on')
    .option('--port <number>', '0: one that is free (default: 4680, or one that is free)', toPort)
    .option(
      '--host <address>',
      'address to listen on; others than this machine can come in by it, so it needs --token (default: 127.0.0.1)',
    )
    .option('--name <host:port...>', 'more names that the server goes by, as a proxy in front of it tells them')
    .option('--token <text>', 'what clients send as Authorization: Bearer (default: a new one at each start)')
    .option('--concurrency <number>', 'how many runs of others it goes on with at a time', toCount, 8)
    .option('--max-running <number>', 'how many runs may be at work at the same time; more are refused', toCount, 4)
    .option('--max-starts <number>', 'how many runs a client may start in a minute', toMany, 10)
    .option('--max-changes <number>', 'how many requests that change something a client may send in a minute', toMany, 60)
    .option('--max-threads <number>', 'how many conversations there may be', toMany, 1_000)
    .option('--max-documents <MiB>', 'how large the documents that were given may be together', toMany, 50)
    .option('--drain <seconds>', 'how long it waits for runs when it is stopped', toCount, 10)
    .option('--json', 'its address as one line of JSON');
