import { dirname, join } from 'node:path';
import type { Tool } from '../index.ts';
import { type McpTools, mcpTools } from '../server/mcp/index.ts';
import { pinFile, stdioServer } from '../server/mcp/node/index.ts';
import type { OpenResources } from './open-resources.ts';
import { aboutServers } from './server-declarations.ts';
import type { Settings } from './settings.ts';
import { splitWords } from './shell-words.ts';
import { UsageError } from './usage-error.ts';

/** Tools of the MCP servers on the command line, including unavailable ones. */
export async function remoteTools(settings: Settings, opened: OpenResources): Promise<readonly Tool[]> {
  const servers = await openServers(settings, opened);
  return servers.flatMap(({ tools }) => tools);
}

/** Connects to the MCP servers of the settings, one after the other, each under a unique name. */
export async function openServers(settings: Settings, opened: OpenResources): Promise<readonly McpTools[]> {
  const { mcp = [], memory } = settings;
  const about = aboutServers(settings);
  const names = new Set<string>();
  const servers: McpTools[] = [];
  const pins = pinFile(join(memory === undefined ? '.agent-machines' : dirname(memory), 'mcp-pins.json'));
  for (const [index, given] of mcp.entries()) {
    const { name = index === 0 ? 'mcp' : `mcp${index + 1}`, ...address } = readServer(given);
    if (names.has(name)) throw new UsageError(`Two MCP servers have the name "${name}". Write --mcp NAME=${JSON.stringify(given)}.`);
    names.add(name);
    const tools = await mcpTools({ name, pins, ...address, ...about(name, 'url' in address) });
    opened.add(() => tools.close());
    servers.push(tools);
  }
  about.checkUsed();
  return servers;
}

/** Parses `[NAME=]URL` or `[NAME=]COMMAND ARGUMENTS`. */
function readServer(
  given: string,
): { readonly name?: string } & ({ readonly url: string } | { readonly server: ReturnType<typeof stdioServer> }) {
  const [, name, rest = ''] = /^(?:([a-zA-Z0-9_-]{1,32})=)?(.*)$/s.exec(given) ?? [];
  const named = name === undefined ? {} : { name };
  if (/^https?:\/\//i.test(rest)) return { ...named, url: rest };
  const [command, ...args] = splitWords(rest) ?? [];
  if (command === undefined) throw new UsageError(`--mcp ${JSON.stringify(given)} is neither an address nor a command.`);
  return { ...named, server: stdioServer({ command, args }) };
}
