import type { ChatMessage } from '../../core/ports/chat-model.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import { fileBytes, filesOf } from '../../core/util/without-files.ts';

/** Tokens of a picture by its size in bytes. Providers count its pixels, up to about 1,600 tokens, and scale down larger pictures. */
const pictureTokens = [
  { below: 20_000, tokens: 500 },
  { below: 200_000, tokens: 1_100 },
  { below: Number.POSITIVE_INFINITY, tokens: 1_600 },
] as const;

/** Tokens of a PDF page: its text and a picture of it. Pages are rarely smaller, and documents rarely longer. */
const pdf = { bytesPerPage: 40_000, tokensPerPage: 2_500, maxPages: 20 };
/** Bytes of audio for each token, at about 30 tokens a second. MP3 needs a sixteenth of the bytes of WAV. */
const soundBytesPerToken = { compressed: 250, wav: 1_000 };

/** Estimates a file's tokens by its type and bytes; only the provider knows the exact count. */
function fileTokens(file: MessageFile): number {
  const { mediaType } = file;
  const bytes = fileBytes(file);
  if (mediaType === 'application/pdf') return Math.min(pdf.maxPages, Math.ceil(bytes / pdf.bytesPerPage)) * pdf.tokensPerPage;
  if (mediaType.startsWith('audio/')) return Math.ceil(bytes / soundBytesPerToken[/wav/.test(mediaType) ? 'wav' : 'compressed']);
  return pictureTokens.find(({ below }) => bytes < below)?.tokens ?? 0;
}

export const filesTokens = (message: ChatMessage): number => filesOf(message).reduce((sum, file) => sum + fileTokens(file), 0);
