import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

/** Sends a request, and gives the response as soon as its head is there. */
export async function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<IncomingMessage> {
  const asked = request(url, { method, headers, agent });
  asked.end(body && JSON.stringify(body));
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    asked.on('error', () => {}); // of a connection that is closed by whoever measures
    return response;
  } catch (cause) {
    if (!asked.reusedSocket) throw cause;
    return send(url, method, headers, body); // the server has closed it in the moment in which it was taken
  }
}
