// The least that a server can do: passes the tokens of a model on, one event each. `proxy-server.ts MODEL_URL`. Says its address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [model = ''] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { input } = JSON.parse(body) as { readonly input: string };
  const asked = await fetch(`${model}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'talk', stream: true, messages: [{ role: 'user', content: input }] }),
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of asked.body ?? []) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.slice('data: '.length);
      if (data === '[DONE]') continue;
      const chunk = JSON.parse(data) as { readonly choices: readonly { readonly delta: { readonly content?: string } }[] };
      const text = chunk.choices[0]?.delta.content;
      if (text !== undefined) response.write(`data: ${JSON.stringify({ type: 'token', text })}\n\n`);
    }
  }
  response.end();
});
server.listen(0, '127.0.0.1', () => console.log(`listening http://127.0.0.1:${(server.address() as AddressInfo).port}`));
