/** Names of keep-alive events, whatever their data. */
export const signsOfLife: RegExp = /^(?:ping|pong|keep-?alive|heartbeat)$/i;

/**
 * Decodes a `text/event-stream` to the data of each event. Skips comments, keep-alive events and other fields. Also reads a last event
 * without its blank line, because some servers omit that. An event named `error` with plain text becomes `{"error": …}`.
 */
export class SseDecoder {
  #rest = '';
  #data: string[] = [];
  #name = '';

  /** Adds a piece of the stream, and returns the data of the events that it completes. */
  push(piece: string): readonly string[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/); // a \r at the very end may be the first half of \r\n
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#read(line));
  }

  /** Returns the data of a last event without its blank line. */
  end(): readonly string[] {
    const last = this.#rest.split('\r').flatMap((line) => this.#read(line));
    return [...last, ...this.#read('')];
  }

  #read(line: string): readonly string[] {
    if (line.startsWith('event:')) {
      this.#name = line.slice('event:'.length).trim();
    } else if (line === 'data' || line.startsWith('data:')) {
      this.#data.push(line.slice('data:'.length).replace(/^ /, ''));
    } else if (line === '') {
      const [data, name] = [this.#data, this.#name];
      this.#data = [];
      this.#name = '';
      if (data.length > 0 && !signsOfLife.test(name)) return [named(name, data.join('\n'))];
    }
    return [];
  }
}

const named = (name: string, data: string): string =>
  name !== 'error' || /^\s*[{["]/.test(data) ? data : JSON.stringify({ error: data.trim() });
