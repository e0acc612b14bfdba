/** Minimum length of a text that is compressed, in characters. Below it, the headers cost more than is saved. */
const minLength = 1_400;

/** True when the client takes `gzip`. */
export const acceptsGzip = (request: Request | undefined): boolean =>
  (request?.headers.get('accept-encoding') ?? '').split(',').some((one) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one));

/** Returns JSON as a response, compressed if it is long and the client takes that. */
export function jsonResponse(request: Request, value: unknown, status = 200): Response {
  const text = JSON.stringify(value);
  const headers = { 'content-type': 'application/json', vary: 'accept-encoding' };
  if (text.length < minLength || !acceptsGzip(request)) return new Response(text, { status, headers });
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Response(zipped, { status, headers: { ...headers, 'content-encoding': 'gzip' } });
}
