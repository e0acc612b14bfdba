/**
 * Reads the data of each event of a `text/event-stream`; comments and the other fields are skipped. A last event without its blank line
 * is read as well, for some servers leave that out.
 */
export async function* readServerSentEvents(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let data: string[] = [];
  for await (const line of readLines(text)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line === 'data' || line.startsWith('data:')) {
      data.push(line.slice('data:'.length).replace(/^ /, ''));
    }
  }
  if (data.length > 0) yield data.join('\n');
}

async function* readLines(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/); // a \r at the very end may be the first half of \r\n
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield* rest.split('\r');
}
