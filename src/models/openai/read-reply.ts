import { hasCode } from '../../core/util/has-code.ts';
import type { ReplyClock } from '../reply-clock.ts';
import type { ErrorContext } from './openai-error.ts';
import { type ReplyData, ReplyDataDecoder } from './reply-data.ts';
import { readResponseText } from './response-text.ts';

export interface ReadReplyOptions {
  readonly context: ErrorContext;
  readonly clock: Pick<ReplyClock, 'signal' | 'heard'>;
  /** True once the reply is complete but for its usage. The stream may then end or fall silent at any point. */
  readonly isFinished: () => boolean;
  /** Takes the data of an event, or of the whole response. `isLast`: only the end of the response has completed it. Returns true to stop. */
  readonly take: (data: ReplyData, isLast: boolean) => boolean;
}

/**
 * Reads the data of a reply, streamed or in one piece, because some servers ignore the requested mode.
 *
 * @throws {WorkflowError} `MODEL_STREAM_CUT`; the errors of reading the text and of `take`.
 */
export async function readReply(body: ReadableStream<Uint8Array>, { context, clock, isFinished, take }: ReadReplyOptions): Promise<void> {
  const decoder = new ReplyDataDecoder(context);
  let isStopped = false;
  const stopsAt = (data: ReplyData, isLast: boolean): boolean => {
    isStopped = take(data, isLast);
    return isStopped;
  };
  const takeText = (piece: string): boolean => decoder.push(piece).some((data) => stopsAt(data, false));
  try {
    await readResponseText(body, { context, clock, take: takeText });
  } catch (error) {
    const isSilent = hasCode(error, 'MODEL_STREAM_CUT') && error.data?.limit === 'idleTimeoutMs';
    if (!isFinished() || !isSilent) throw error;
  }
  if (!isStopped) decoder.end().some((data) => stopsAt(data, true));
}
