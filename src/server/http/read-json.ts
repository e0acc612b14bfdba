import type { Clock } from '../../core/ports/clock.ts';
import type { Json } from '../../core/ports/json.ts';
import { parseStrictJson } from './parse-strict-json.ts';
import { checkMediaType, readBody } from './read-body.ts';
import type { ServerLimits } from './server-limits.ts';

/**
 * Reads the JSON body of a request.
 *
 * @param empty Value of an empty body. Default: an empty body is rejected.
 * @throws {Refusal} 400, 408, 413, 415.
 */
export async function readJson(request: Request, limits: ServerLimits, clock: Clock, empty?: Json): Promise<Json> {
  checkMediaType(request, 'application/json');
  const { bodyBytes: maxBytes, bodyMs: timeoutMs, json } = limits;
  const bytes = await readBody(request, { maxBytes, timeoutMs }, clock);
  return bytes.byteLength === 0 && empty !== undefined ? empty : parseStrictJson(bytes, json);
}
