/** Names of keep-alive events, whatever their data. */
export const signsOfLife: RegExp = /^(?:ping|pong|keep-?alive|heartbeat)$/i;

/**
 * Reads the data of each event of a `text/event-stream`. Skips comments, keep-alive events and other fields. Also reads a last event
 * without its blank line, because some servers omit that. An event named `error` with plain text becomes `{"error": …}`.
 */
export async function* readServerSentEvents(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let data: string[] = [];
  let name = '';
  for await (const line of readLines(text)) {
    if (line === '') {
      if (data.length > 0 && !signsOfLife.test(name)) yield named(name, data.join('\n'));
      [data, name] = [[], ''];
    } else if (line.startsWith('event:')) {
      name = line.slice('event:'.length).trim();
    } else if (line === 'data' || line.startsWith('data:')) {
      data.push(line.slice('data:'.length).replace(/^ /, ''));
    }
  }
  if (data.length > 0 && !signsOfLife.test(name)) yield named(name, data.join('\n'));
}

const named = (name: string, data: string): string =>
  name !== 'error' || /^\s*[{["]/.test(data) ? data : JSON.stringify({ error: data.trim() });

async function* readLines(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/); // a \r at the very end may be the first half of \r\n
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield* rest.split('\r');
}
