import { type Command, Option } from 'commander';
import { defaultDb } from '../database.ts';
import type { EvalFlags } from '../eval.ts';
import { databaseFile, toCount, toMany } from '../flags.ts';
import { withModelFlags } from '../model-flags.ts';
import { toAge } from '../to-age.ts';
import type { Session } from './program.ts';

/** The command that runs evals. */
export function addEval(program: Command, { exit }: Session): void {
  const command = program
    .command('eval')
    .description('run the cases of an eval, grade the runs, and compare versions; replays recorded replies without a key')
    .argument('<file>', 'file whose default export is an eval: export default defineEval({ … })')
    .option('--record', 'ask the model for every reply, and record them beside the file')
    .option('--auto', 'ask the model only for replies that are not recorded; refused when CI is set')
    .option('--model <name>', 'model to record with, with OPENAI_API_KEY or --base-url; `local` finds one on this machine')
    .option('--base-url <url>', 'OpenAI-compatible server')
    .option('--only <text>', 'run only the cases whose name contains the text')
    .option('--against <ref>', 'compare with the code at a git ref, or with a file that --json has written')
    .option('--models <names>', 'compare models: NAME,NAME; each has a recording of its own')
    .option('--fail-on-regression', 'exit with 1 if a grader is worse than before')
    .option('--timings', 'let graders of time count, and print durations in JSON')
    .option('--concurrency <number>', 'number of runs at a time', toCount, 4)
    .option('--junit <file>', 'write the result as JUnit XML')
    .option('--json', 'one object of JSON on standard output')
    .option('--from-runs', 'write cases from stored runs of the workflow to --out, and run nothing')
    .option('--db <file>', 'database of the runs for --from-runs', databaseFile, defaultDb)
    .option('--since <age>', 'largest age of the runs: 30d, 12h, 90m', toAge)
    .addOption(new Option('--rated <rating>', 'only runs with this rating').choices(['up', 'down']))
    .option('--limit <number>', 'largest number of runs, the newest first', toMany, 100)
    .option('--out <file>', 'new file for the cases, .jsonl')
    .option('--personal-data', 'write cases although they hold personal data');
  withModelFlags(command).action(async (file: string, flags: EvalFlags) => {
    const { runEvalFile } = await import('../eval.ts');
    exit(await runEvalFile(file, flags));
  });
}
