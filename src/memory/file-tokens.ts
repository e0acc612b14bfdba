import type { ChatMessage } from '../ports/chat-model.ts';
import type { MessageFile } from '../ports/message-file.ts';
import { fileBytes } from '../util/without-files.ts';

/** Of a picture, by its bytes: providers count its pixels, up to about 1,600 tokens, and shrink whatever is larger. */
const pictureTokens = [
  { below: 20_000, tokens: 500 },
  { below: 200_000, tokens: 1_100 },
  { below: Number.POSITIVE_INFINITY, tokens: 1_600 },
] as const;

/** Of a page of a PDF its text and a picture of it; a page has seldom fewer bytes, and a document seldom more pages. */
const pdf = { bytesPerPage: 40_000, tokensPerPage: 2_500, maxPages: 20 };
/** Sound, about 30 tokens a second, of which MP3 needs a sixteenth of what a WAV file needs. */
const soundBytesPerToken = { compressed: 250, wav: 1_000 };

/** About how many tokens a file is to a model, by its type and bytes: nobody knows before the provider has counted. */
function fileTokens(file: MessageFile): number {
  const { mediaType } = file;
  const bytes = fileBytes(file);
  if (mediaType === 'application/pdf') return Math.min(pdf.maxPages, Math.ceil(bytes / pdf.bytesPerPage)) * pdf.tokensPerPage;
  if (mediaType.startsWith('audio/')) return Math.ceil(bytes / soundBytesPerToken[/wav/.test(mediaType) ? 'wav' : 'compressed']);
  return pictureTokens.find(({ below }) => bytes < below)?.tokens ?? 0;
}

/** Of all files of a message. */
export const filesTokens = (message: ChatMessage): number =>
  message.role === 'user' ? (message.files ?? []).reduce((sum, file) => sum + fileTokens(file), 0) : 0;
