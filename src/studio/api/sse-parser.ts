/** One message of an event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** Reads an event stream piece by piece, however its text is cut. A comment is nobody's message. */
export function createSseParser(onMessage: (message: StreamMessage) => void): (chunk: string) => void {
  let rest = '';
  let event = '';
  let id: string | undefined;
  let data: string[] = [];
  const takeLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0 || event !== '')
        onMessage({ event: event || 'message', data: data.join('\n'), ...(id === undefined ? {} : { id }) });
      event = '';
      id = undefined;
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id') id = value;
  };
  return (chunk) => {
    rest += chunk;
    // a CR at the end may be the first half of a line's end
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  };
}
