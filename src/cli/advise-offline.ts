import { connect } from 'node:net';
import type { OfflineAdvice } from '../models/index.ts';
import { type LocalPort, localPorts } from '../models/local/local-servers.ts';
import { namedPorts } from './local-ports.ts';
import { escapeControls } from './terminal.ts';

/** What a user of the command line can do about an answer that rules cannot give; a model server of this machine is named. */
export const adviseOffline: OfflineAdvice = async ({ needs, korean }) => {
  if (needs === 'documents') return '--docs';
  const either = korean ? ' 또는 ' : ' or ';
  const found = await runningModel(process.env);
  if (found === undefined) return `OPENAI_API_KEY${either}--base-url`;
  const name = `${escapeControls(found.model)}, ${found.server}`;
  return `${korean ? `이 컴퓨터의 ${name}` : `${name} on this machine`}: --model local, ${korean ? '' : 'or '}OPENAI_API_KEY${either}--base-url`;
};

/** Nobody waits longer to be told that a model is needed. */
const longestMs = { connect: 40, answer: 250 };

/** The model that `--model local` would take. A port on which nobody listens is known at once, without what an HTTP client costs to load. */
async function runningModel(env: NodeJS.ProcessEnv): Promise<{ readonly model: string; readonly server: string } | undefined> {
  const named = namedPorts(env);
  const open = await Promise.all((named ?? localPorts).map(async (port) => ((await isListening(port)) ? [port] : [])));
  const ports = open.flat();
  if (ports.length === 0) return undefined;
  const { findLocalServers } = await import('../models/local/local-servers.ts');
  // where somebody has named the port, there is one
  const servers = await findLocalServers({ ports, ...(named ? {} : { timeoutMs: longestMs.answer }) });
  const server = servers.find(({ models }) => models.length > 0);
  const [model] = server?.models ?? [];
  return server && model !== undefined ? { model, server: server.name } : undefined;
}

const isListening = ({ port }: LocalPort): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: longestMs.connect });
    const end = (isOpen: boolean) => (): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });
