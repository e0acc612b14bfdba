import { hasCode } from '../../util/has-code.ts';
import { type OpenaiChunk, parseChunk } from './openai-chunk.ts';
import { type ErrorContext, isPage, pageInstead, streamCut } from './openai-error.ts';
import type { OpenaiReply } from './openai-reply.ts';
import { readServerSentEvents } from './server-sent-events.ts';

/**
 * Reads the chunks of a reply, streamed or in one piece: some servers do not ask which it was to be. Once a finish reason has come, a stream
 * may end or fall silent anywhere: nothing is missing but the usage.
 *
 * @throws {WorkflowError} `MODEL_STREAM_CUT`, `MODEL_REQUEST_REFUSED`, and what reading the text throws.
 */
export async function* readReply(
  text: AsyncIterable<string>,
  context: ErrorContext,
  reply: Pick<OpenaiReply, 'isFinished'>,
): AsyncGenerator<OpenaiChunk, void, undefined> {
  let hasEnded = false;
  const untilEnd = async function* (): AsyncGenerator<string, void, undefined> {
    try {
      yield* text;
    } catch (error) {
      const isSilent = hasCode(error, 'MODEL_STREAM_CUT') && error.data?.limit === 'idleTimeoutMs';
      if (!reply.isFinished || !isSilent) throw error;
    } finally {
      hasEnded = true;
    }
  };
  for await (const { data, isDocument } of readData(untilEnd(), context)) {
    if (/^"?\[DONE\]"?$/i.test(data.trim())) return;
    if (data.trim() === '') continue;
    const value = parseJson(data);
    if (value !== undefined) yield parseChunk(value, context, isDocument);
    else if (!hasEnded || !reply.isFinished) throw streamCut(context, 'a part of it is not JSON');
  }
}

/** Of a page, so much is read for what it says. */
const maxPageChars = 20_000;

interface ReplyData {
  readonly data: string;
  readonly isDocument: boolean;
}

/** The data of each event, or the whole text where it is a JSON object. */
async function* readData(text: AsyncIterable<string>, context: ErrorContext): AsyncGenerator<ReplyData, void, undefined> {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
