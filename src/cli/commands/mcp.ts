import type { Command } from 'commander';
import { type CommonFlags, databaseFile, defaultDb, withCommon, withSettings, withTelemetry } from '../flags.ts';
import type { Settings } from '../settings.ts';

/** Commands for the Model Context Protocol. */
export function addMcp(program: Command): void {
  const mcp = withTelemetry(withSettings(program.command('mcp')))
    .description('serve the workflows as MCP tools to the program at the other end of standard input and output')
    .option('--db <file>', 'database of the runs', databaseFile, defaultDb)
    .action(async (flags: CommonFlags & Settings) => {
      const { serveMcp } = await import('../mcp.ts');
      await serveMcp(flags);
    });
  withCommon(mcp.command('accept'))
    .description('accept tools of an MCP server that have changed, and show how')
    .argument('<server>', 'as --mcp names it: [NAME=]URL or [NAME=]COMMAND')
    .argument('[tools...]', 'default: all of them')
    .action(async (server: string, tools: readonly string[], _: object, command: Command) => {
      const { acceptTools } = await import('../mcp.ts');
      await acceptTools(server, tools, command.optsWithGlobals<CommonFlags>());
    });
}
