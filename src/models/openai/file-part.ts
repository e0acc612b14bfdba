import type { MessageFile } from '../../core/ports/message-file.ts';

/** A file of a user's message, in chat-completions form. */
export type FilePart =
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } };

const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

/** Image types that every vision model accepts; support for others is unknown. */
const images = /^image\/(?:png|jpe?g|gif|webp)$/;

/** True for a file type that chat completions support: images, PDF, and audio as WAV or MP3. The model itself may still reject it. */
export const takesFile = ({ mediaType }: MessageFile): boolean =>
  images.test(mediaType) || mediaType === 'application/pdf' || Object.hasOwn(audioFormats, mediaType);

/** @param file Must satisfy `takesFile`. */
export function toFilePart(file: MessageFile): FilePart {
  const { mediaType, data, name } = file;
  const format = audioFormats[mediaType];
  if (format) return { type: 'input_audio', input_audio: { data, format } };
  if (images.test(mediaType)) return { type: 'image_url', image_url: { url: toDataUrl(file) } };
  return { type: 'file', file: { filename: name ?? 'file.pdf', file_data: toDataUrl(file) } };
}

const toDataUrl = ({ mediaType, data }: MessageFile): string => `data:${mediaType};base64,${data}`;
