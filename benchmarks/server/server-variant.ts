import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { send } from './send.ts';
import { askFor, type Talk } from './talk.ts';

export const benchToken = 'token-of-the-benchmark';

/** A server that is measured. */
export interface ServerVariant {
  /** Node's arguments. */
  args(modelUrl: string): readonly string[];
  /** Begins so many conversations in which nothing goes on. `say` tells the server's process something, and waits until that is done. */
  idle(url: string, count: number, say: (line: string) => Promise<void>): Promise<void>;
  /** Starts a run and asks for its stream. */
  stream(url: string, talk: Talk): Promise<IncomingMessage>;
}

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const source = '--conditions=@agent-machines/source';
const json = { 'content-type': 'application/json' };
const sent = { authorization: `Bearer ${benchToken}`, ...json };

const asks: Readonly<Record<string, ServerVariant['stream']>> = {
  async native(url, talk) {
    const { id } = await read<{ readonly id: string }>(
      await send(`${url}/api/runs`, 'POST', sent, { workflow: 'talk', input: { input: askFor(talk) } }),
    );
    return send(`${url}/api/runs/${id}/events`, 'GET', sent);
  },
  'AI SDK': (url, talk) => {
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: askFor(talk) }] }];
    return send(`${url}/api/ai-sdk/talk`, 'POST', sent, { id: crypto.randomUUID(), messages });
  },
  'AG-UI': (url, talk) => {
    const messages = [{ id: 'm', role: 'user', content: askFor(talk) }];
    const [threadId, runId] = [crypto.randomUUID(), crypto.randomUUID()];
    return send(`${url}/api/ag-ui/talk`, 'POST', sent, {
      threadId,
      runId,
      messages,
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    });
  },
  OpenAI: (url, talk) => {
    const messages = [{ role: 'user', content: `${askFor(talk)} ${crypto.randomUUID()}` }];
    return send(`${url}/v1/chat/completions`, 'POST', sent, { model: 'talk', stream: true, messages });
  },
};

const ours = (store: 'memory' | 'sqlite', protocol: keyof typeof asks): ServerVariant => ({
  args: (modelUrl) => [source, fileAt('our-server.ts'), store, modelUrl],
  // in the server's process: over HTTP it takes many times as long, and what is left is the same
  idle: (_url, count, say) => say(`idle ${count}`),
  stream: (url, talk) => {
    const ask = asks[protocol];
    if (!ask) throw new Error(`There is no protocol ${protocol}.`);
    return ask(url, talk);
  },
});

export const serverVariants = {
  'bare proxy': {
    args: (modelUrl) => [fileAt('proxy-server.ts'), modelUrl],
    idle: async () => {},
    stream: (url, talk) => send(url, 'POST', json, { input: askFor(talk) }),
  },
  'agent-machines, memory store': ours('memory', 'native'),
  'agent-machines, SQLite file': ours('sqlite', 'native'),
  'the same, AI SDK': ours('sqlite', 'AI SDK'),
  'the same, AG-UI': ours('sqlite', 'AG-UI'),
  'the same, OpenAI': ours('sqlite', 'OpenAI'),
  'LangGraph.js, in-memory server': {
    args: (modelUrl) => [fileAt('../langgraph-server/serve.js'), '0', '200', modelUrl],
    async idle(url, count) {
      for (let from = 0; from < count; from += 50) {
        await Promise.all(
          Array.from({ length: Math.min(50, count - from) }, async () => read(await send(`${url}/threads`, 'POST', json, {}))),
        );
      }
    },
    stream: (url, talk) =>
      send(`${url}/runs/stream`, 'POST', json, { assistant_id: 'talk', input: { input: askFor(talk) }, stream_mode: ['custom'] }),
  },
} as const satisfies Readonly<Record<string, ServerVariant>>;

export type ServerVariantName = keyof typeof serverVariants;
export const serverVariantNames = Object.keys(serverVariants) as readonly ServerVariantName[];

async function read<T>(response: IncomingMessage): Promise<T> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  if ((response.statusCode ?? 500) >= 300) throw new Error(`The server answered ${response.statusCode}: ${text}`);
  return JSON.parse(text) as T;
}
