import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { send } from './send.ts';

export const benchToken = 'token-of-the-benchmark';

/** A server that is measured. */
export interface ServerVariant {
  /** Node's arguments. */
  readonly args: readonly string[];
  /** Begins so many conversations in which nothing goes on. `say` tells the server's process something, and waits until that is done. */
  idle(url: string, count: number, say: (line: string) => Promise<void>): Promise<void>;
  /** Starts a run and asks for its stream. */
  stream(url: string): Promise<IncomingMessage>;
}

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const source = '--conditions=@agent-machines/source';
const asked = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'talk' }] };
const sent = { authorization: `Bearer ${benchToken}`, 'content-type': 'application/json' };

const ours = (store: 'memory' | 'sqlite'): ServerVariant => ({
  args: [source, fileAt('our-server.ts'), store],
  // in the server's process: over HTTP it takes many times as long, and what is left is the same
  idle: (_url, count, say) => say(`idle ${count}`),
  // as LangGraph's: one request that starts the run and is answered by its stream
  stream: (url) => send(`${url}/api/ai-sdk/talk`, 'POST', sent, { id: crypto.randomUUID(), messages: [asked] }),
});

const json = { 'content-type': 'application/json' };

export const serverVariants = {
  'agent-machines, memory store': ours('memory'),
  'agent-machines, SQLite file': ours('sqlite'),
  'LangGraph.js, in-memory server': {
    args: [fileAt('../langgraph-server/serve.js'), '0', '200'],
    async idle(url, count) {
      for (let from = 0; from < count; from += 50) {
        await Promise.all(
          Array.from({ length: Math.min(50, count - from) }, async () => read(await send(`${url}/threads`, 'POST', json, {}))),
        );
      }
    },
    stream: (url) => send(`${url}/runs/stream`, 'POST', json, { assistant_id: 'talk', input: {}, stream_mode: ['custom'] }),
  },
} as const satisfies Readonly<Record<string, ServerVariant>>;

export type ServerVariantName = keyof typeof serverVariants;
export const serverVariantNames = Object.keys(serverVariants) as readonly ServerVariantName[];

async function read(response: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  if ((response.statusCode ?? 500) >= 300) throw new Error(`The server answered ${response.statusCode}: ${text}`);
  return JSON.parse(text);
}
