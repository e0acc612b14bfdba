import { connect } from 'node:net';
import type { OfflineAdvice } from '../models/index.ts';
import { type LocalPort, localPorts } from '../models/local/local-servers.ts';
import { namedPorts } from './local-ports.ts';
import { escapeControls } from './terminal.ts';

/** Advice for a command-line user when rules cannot answer. Names a model server on this machine if there is one. */
export const adviseOffline: OfflineAdvice = async ({ needs, korean }) => {
  if (needs === 'documents') return '--docs';
  const either = korean ? ' 또는 ' : ' or ';
  const found = await runningModel(process.env);
  if (found === undefined) return `OPENAI_API_KEY${either}--base-url`;
  const name = `${escapeControls(found.model)}, ${found.server}`;
  return `${korean ? `이 컴퓨터의 ${name}` : `${name} on this machine`}: --model local, ${korean ? '' : 'or '}OPENAI_API_KEY${either}--base-url`;
};

/** Time limits in milliseconds: finding a model must not delay the message that one is needed. */
const longestMs = { connect: 40, answer: 250 };

/** Returns the model that `--model local` would use. Probes the ports first, which avoids loading an HTTP client when none is open. */
async function runningModel(env: NodeJS.ProcessEnv): Promise<{ readonly model: string; readonly server: string } | undefined> {
  const named = namedPorts(env);
  const open = await Promise.all((named ?? localPorts).map(async (port) => ((await isListening(port, named === undefined)) ? [port] : [])));
  const ports = open.flat();
  if (ports.length === 0) return undefined;
  const { findLocalServers } = await import('../models/local/local-servers.ts');
  // explicitly named ports need no time limit: a server is expected there
  const servers = await findLocalServers({ ports, ...(named ? {} : { timeoutMs: longestMs.answer }) });
  const server = servers.find(({ models }) => models.length > 0);
  const [model] = server?.models ?? [];
  return server && model !== undefined ? { model, server: server.name } : undefined;
}

const isListening = ({ port }: LocalPort, isGuess: boolean): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ...(isGuess ? { timeout: longestMs.connect } : {}) });
    const end = (isOpen: boolean) => (): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });
