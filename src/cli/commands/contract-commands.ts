import { type Command, Option } from 'commander';
import { toContextTokens } from '../flags.ts';
import { withModelFlags } from '../model-flags.ts';
import type { ReviewFlags } from '../review-contracts.ts';
import type { Session } from './program.ts';

/** Commands for contracts. */
export function addContractCommands(program: Command, { exit }: Pick<Session, 'exit'>): void {
  program
    .command('articles')
    .description('list the articles of a contract or statute')
    .argument('<file>', '.txt, .md, .docx, .pdf, .hwpx, .odt, .rtf, .html or .json')
    .option('--json', 'one array of JSON on standard output')
    .action(async (file: string, { json = false }: { readonly json?: boolean }) => {
      const { printArticles } = await import('../articles.ts');
      await printArticles(file, json);
    });

  program
    .command('compare')
    .description('compare a contract with a standard one, word by word')
    .argument('<file>', 'the contract')
    .argument('<standard>', 'the standard contract')
    .option('--json', 'one object of JSON on standard output')
    .action(async (file: string, standard: string, { json = false }: { readonly json?: boolean }) => {
      const { printComparison } = await import('../compare.ts');
      await printComparison(file, standard, json);
    });

  const review = program
    .command('review')
    .description('review a contract: clauses to look at, dates, money, duties, and what is absent')
    .argument('<files...>', 'contracts')
    .option('--as <party>', 'party whose side the review takes: its role in the contract, or its name')
    .option('--standard <file>', 'standard contract to compare it with')
    .addOption(new Option('--language <name>', 'language of the report (default: that of the contract)').choices(['en', 'ko']))
    .option('--today <date>', 'date of the review, such as 2026-03-31 (default: today)')
    .option('--holidays <dates...>', 'dates that are no business days, besides Saturdays and Sundays')
    .option('--ics <file>', 'write the dates as a calendar file')
    .option('--model <name>', 'language model that adds findings, with OPENAI_API_KEY or --base-url; `local` finds one on this machine')
    .option('--base-url <url>', 'OpenAI-compatible server')
    .option('--context-tokens <n>', 'context size of the model in tokens, reply included (default: by its name)', toContextTokens)
    .option('--json', 'one line of JSON for each contract');
  withModelFlags(review).action(async (files: readonly string[], flags: ReviewFlags) => {
    const { reviewContracts } = await import('../review-contracts.ts');
    exit(await reviewContracts(files, flags));
  });
}
