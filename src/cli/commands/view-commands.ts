import { type Command, Option } from 'commander';
import { type CommonFlags, databaseFile, defaultDb, toCount, toPort, withCommon, withSettings } from '../flags.ts';
import type { ListFlags } from '../list-runs.ts';
import type { InspectFlags } from '../open-inspector.ts';
import type { AuditFlags } from '../print-audit.ts';
import type { GraphFlags } from '../print-graph.ts';
import type { ExportFlags } from '../run-documents.ts';
import { withRunFilter } from '../run-filter.ts';
import type { Settings } from '../settings.ts';
import { toAge } from '../to-age.ts';
import { addBulkCommands } from './bulk-commands.ts';
import { addContractCommands } from './contract-commands.ts';
import type { Session } from './program.ts';

/** Read-only commands. */
export function addViewCommands(program: Command, { exit }: Session): void {
  const runs = withRunFilter(withCommon(program.command('runs')))
    .description('list runs, newest first')
    .option('--limit <number>', 'maximum number of runs', toCount, 20)
    .action(async (flags: ListFlags) => {
      const { listRuns } = await import('../list-runs.ts');
      await listRuns(flags);
    });
  addDocuments(runs);
  addBulkCommands(runs, { exit });

  addFleetViews(program);

  withCommon(program.command('show'))
    .description('show a run: its steps in order, and the answer')
    .argument('<run>')
    .action(async (runId: string, flags: CommonFlags) => {
      const { showRun } = await import('../show-run.ts');
      await showRun(runId, flags);
    });

  program
    .command('inspect')
    .description('show current and past runs in a browser on this machine')
    .argument('[run]', 'run to open')
    .option('--db <file>', 'database of the runs', databaseFile, defaultDb)
    .option('--live', 'always open the newest run')
    .option('--port <number>', 'port (default: a free one)', toPort)
    .option('--json', 'print its addresses as one line of JSON')
    .action(async (runId: string | undefined, flags: InspectFlags) => {
      const { openInspector } = await import('../open-inspector.ts');
      await openInspector(runId, flags);
    });

  program
    .command('graph')
    .description("draw a workflow's machine, and a run's path through it")
    .argument('<workflow>', 'name, or a file that exports one: FILE or FILE#export')
    .addOption(new Option('--format <format>').choices(['mermaid', 'svg', 'html', 'json', 'xstate']).default('mermaid'))
    .addOption(new Option('--theme <theme>', 'colours of svg and html').choices(['light', 'dark', 'auto']))
    .option('--run <run>', 'highlight the path of this run (mermaid, svg, html)')
    .option('--db <file>', 'database of the runs', databaseFile, defaultDb)
    .action(async (name: string, flags: GraphFlags) => {
      const { printGraph } = await import('../print-graph.ts');
      await printGraph(name, flags);
    });

  addContractCommands(program, { exit });

  program
    .command('explain')
    .description('explain error and lint codes, and what to do')
    .argument('<codes...>', 'codes, for example RUN_BUSY')
    .option('--json', 'one JSON object per line')
    .action(async (codes: readonly string[], { json = false }: { readonly json?: boolean }) => {
      const { explain } = await import('../explain.ts');
      explain(codes, json);
    });

  withSettings(program.command('tools'))
    .description('list the tools, and why some are unavailable')
    .option('--json', 'one JSON object per line')
    .action(async (flags: Settings & { readonly json?: boolean }) => {
      const { listTools } = await import('../list-tools.ts');
      await listTools(flags);
    });

  addDoctor(program, exit);
}

/** Commands that export and import runs as documents. Options before the subcommand apply to it too. */
function addDocuments(runs: Command): void {
  withCommon(runs.command('export'))
    .description('write a run and its thread, with all of their data, as one JSON document')
    .argument('<run>')
    .option('--out <file>', 'new file (default: standard output)')
    .option('--snapshot', 'export a run in progress as it is now')
    .action(async (runId: string, _: object, command: Command) => {
      const { exportToFile } = await import('../run-documents.ts');
      await exportToFile(runId, command.optsWithGlobals<ExportFlags>());
    });
  withCommon(runs.command('import'))
    .description('add an exported run to a database, where it can be resumed')
    .argument('<file>', 'file, or `-` for standard input')
    .action(async (file: string, _: object, command: Command) => {
      const { importFromFile } = await import('../run-documents.ts');
      await importFromFile(file, command.optsWithGlobals<CommonFlags>());
    });
}

/** Commands that list workers, and actions of people and programs. */
function addFleetViews(program: Command): void {
  withCommon(program.command('workers'))
    .description('list the workers and servers of a database, with the runs that lost ones have left')
    .action(async (flags: CommonFlags) => {
      const { printWorkers } = await import('../list-workers.ts');
      await printWorkers(flags);
    });

  withCommon(program.command('audit'))
    .description('list who has started, answered, resolved, cancelled, retried, released or removed runs, oldest first')
    .option('--since <age>', 'age of the oldest entry: 30d, 12h, 90m', toAge, toAge('1d'))
    .option('--limit <number>', 'maximum number of entries; the newest are kept', toCount, 1_000)
    .action(async (flags: AuditFlags) => {
      const { printAudit } = await import('../print-audit.ts');
      await printAudit(flags);
    });
}

function addDoctor(program: Command, exit: Session['exit']): void {
  withSettings(withCommon(program.command('doctor')))
    .description('check the installation, the database and the workflows')
    .option('--against <file>', 'list the runs that this new version of your module would strand')
    .action(async (flags: CommonFlags & Settings & { readonly against?: string }) => {
      if (flags.against !== undefined) {
        const { compareMachines } = await import('../compare-machines.ts');
        exit(await compareMachines({ ...flags, against: flags.against }));
        return;
      }
      const { doctor } = await import('../doctor.ts');
      exit(await doctor(flags));
    });
}
