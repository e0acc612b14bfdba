import { type ErrorContext, isPage, pageInstead } from './openai-error.ts';
import { readServerSentEvents } from './server-sent-events.ts';

const maxPageChars = 20_000;

export interface ReplyData {
  readonly data: string;
  /** True for the whole response, false for an event of a stream. */
  readonly isDocument: boolean;
}

/**
 * Reads the data of each event, or the whole text if it is a JSON object, because some servers ignore the requested mode.
 *
 * @throws {WorkflowError} `MODEL_STREAM_CUT` for a web page, and the errors of reading the text.
 */
export async function* readReplyData(text: AsyncIterable<string>, context: ErrorContext): AsyncGenerator<ReplyData, void, undefined> {
  const pieces = text[Symbol.asyncIterator]();
  let start = '';
  let isDone = false;
  const read = async (): Promise<string> => {
    const { value = '', done = false } = await pieces.next();
    isDone = done;
    return value;
  };
  try {
    while (!isDone && start.trimStart().length < 2) start += await read();
    if (start.trimStart().startsWith('{')) {
      while (!isDone) start += await read();
      yield { data: start, isDocument: true };
      return;
    }
    if (isPage(start)) {
      while (!isDone && start.length < maxPageChars) start += await read();
      throw pageInstead(context, start);
    }
    for await (const data of readServerSentEvents(joined(start, read, () => isDone))) yield { data, isDocument: false };
  } finally {
    await pieces.return?.();
  }
}

async function* joined(start: string, read: () => Promise<string>, isDone: () => boolean): AsyncGenerator<string, void, undefined> {
  yield start;
  while (!isDone()) yield await read();
}
