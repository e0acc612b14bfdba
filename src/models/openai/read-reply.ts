import { hasCode } from '../../core/util/has-code.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { type OpenaiChunk, parseChunk } from './openai-chunk.ts';
import { type ErrorContext, streamCut } from './openai-error.ts';
import type { OpenaiReply } from './openai-reply.ts';
import { readReplyData } from './reply-data.ts';

/**
 * Reads the chunks of a reply, streamed or in one piece, because some servers ignore the requested mode. After a finish reason, the stream
 * may end or fall silent at any point: only the usage can be missing.
 *
 * @throws {WorkflowError} `MODEL_STREAM_CUT`, `MODEL_REQUEST_REFUSED`, and the errors of reading the text.
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
  for await (const { data, isDocument } of readReplyData(untilEnd(), context)) {
    if (/^"?\[DONE\]"?$/i.test(data.trim())) return;
    if (data.trim() === '') continue;
    const value = parseJson(data);
    if (value !== undefined) yield parseChunk(value, context, isDocument);
    else if (!hasEnded || !reply.isFinished) throw streamCut(context, 'a part of it is not JSON');
  }
}
