import { createRuntime } from 'agent-machines';
import { type AgentServer, createServer } from 'agent-machines/server';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { publishing } from './workflow.ts';

function makeServer(): AgentServer {
  const workflow = publishing({
    write: async (topic, remarks) => [`About ${topic}.`, ...remarks].join(' '),
    publish: async (text) => {
      console.log(`published: ${text}`);
      return 'https://example.com/otters';
    },
  });
  const workflows = [workflow];
  const store = sqliteStore({ path: 'runs.db' });
  const runtime = createRuntime({ store, workflows });
  void runtime.recover(); // continues the runs of a process that has died
  const { TOKEN: token = crypto.randomUUID(), PORT: port = '3000', HOSTS: hosts = `localhost:${port},127.0.0.1:${port}` } = process.env;
  if (process.env.TOKEN === undefined) console.log(`Token of the page: ${token}`);
  return createServer({ hosts: hosts.split(','), tokens: token, runtime, store, workflows });
}

const kept = globalThis as { agentServer?: AgentServer };

/** The server, one for each process: Next.js may load this module several times. */
export const agentServer = (): AgentServer => {
  kept.agentServer ??= makeServer();
  return kept.agentServer;
};
