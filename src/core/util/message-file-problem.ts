import { maxFileNameLength } from './without-files.ts';

const mediaTypes = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,100}$/;

// searches for an invalid character: a pattern for the whole text overflows the stack on megabytes
const isBase64 = (data: string): boolean =>
  data !== '' &&
  data.length % 4 === 0 &&
  !/[^A-Za-z0-9+/]/.test(data.slice(0, -2)) &&
  /[A-Za-z0-9+/]{2}$|[A-Za-z0-9+/]=$|==$/.test(data.slice(-2));

/** Reason why a value is not a `MessageFile`, as the end of a sentence that names it; `undefined` for a valid file. */
export function messageFileProblem({ mediaType, data, name }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof mediaType !== 'string' || !mediaTypes.test(mediaType)) return '.mediaType is not a media type such as image/png';
  if (typeof data !== 'string' || !isBase64(data)) return '.data is not base64';
  if (name !== undefined && (typeof name !== 'string' || name.length > maxFileNameLength || /\p{Cc}/u.test(name)))
    return `.name is not a name of at most ${maxFileNameLength} characters`;
  return undefined;
}
