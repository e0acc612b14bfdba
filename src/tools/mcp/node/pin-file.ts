import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { WorkflowError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/node/files/make-folder.ts';
import { readRegularFile, withOpenFile } from '../../../core/node/files/read-regular-file.ts';
import { systemCode } from '../../../core/node/files/system-code.ts';
import type { JsonSchema } from '../../../core/ports/json.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { parseJson } from '../../../core/util/parse-json.ts';
import type { McpPin, McpPins } from '../tool-pins.ts';

const maxBytes = 64 * 1024 * 1024;

/**
 * Stores the accepted tools of servers in a file. The file is replaced atomically, and can be kept in a repository.
 *
 * @throws {WorkflowError} its `load` and `save`: `OPTION_INVALID` for an unreadable file, or one of another kind.
 * @example await mcpTools({ url, pins: pinFile('.agent-machines/mcp-pins.json') });
 */
export function pinFile(path: string): McpPins {
  const file = resolve(path);
  return {
    async load(server) {
      const servers = await readServers(file);
      return Object.hasOwn(servers, server) ? servers[server] : undefined;
    },
    async save(server, pins) {
      const servers = Object.entries(await readServers(file)).filter(([name]) => name !== server);
      const text = JSON.stringify({ version: 1, servers: Object.fromEntries([...servers, [server, pins]].sort()) }, null, 2);
      makeFolder(dirname(file), 0o700);
      const temporaryFile = `${file}.${randomUUID()}`;
      try {
        writeFileSync(temporaryFile, `${text}\n`, { mode: 0o600, flag: 'wx' });
        renameSync(temporaryFile, file);
      } catch (cause) {
        rmSync(temporaryFile, { force: true });
        throw unusable(file, 'cannot be written', cause);
      }
    },
  };
}

type Servers = Readonly<Record<string, Readonly<Record<string, McpPin>>>>;

async function readServers(file: string): Promise<Servers> {
  let text: string;
  try {
    const read = await withOpenFile(file, (open) => readRegularFile(open, { maxBytes }));
    if (read.kind !== 'read') throw unusable(file, read.kind === 'large' ? 'is too large' : 'is not a regular file');
    text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw WorkflowError.isInstance(error) ? error : unusable(file, 'cannot be read', error);
  }
  const servers = parse(text);
  if (!servers) throw unusable(file, 'is not a list of accepted tools');
  return servers;
}

function parse(text: string): Servers | undefined {
  const value: unknown = parseJson(text);
  if (!isObject(value) || value.version !== 1 || !isObject(value.servers)) return undefined;
  const isRight = Object.values(value.servers).every((pins) => isObject(pins) && Object.values(pins).every(isPin));
  return isRight ? (value.servers as Servers) : undefined;
}

const isPin = (value: unknown): value is { description: string; inputSchema: JsonSchema } =>
  isObject(value) && typeof value.description === 'string' && isObject(value.inputSchema);

const unusable = (file: string, what: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The file of accepted MCP tools ${file} ${what}.`,
    hint: 'Correct the file. If you remove it, the next tools that the servers offer are accepted.',
    cause,
  });
