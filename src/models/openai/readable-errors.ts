import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';

/**
 * Wraps `fetch` so that all error bodies have the form `{"error": …}`, the only one that OpenAI's client reads. Gemini sends a list;
 * Mistral and FastAPI servers send the fields without a wrapper. The client would drop the text of both.
 */
export async function readableErrors(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.ok) return response;
  const text = wrapped(await response.text());
  const { status, statusText, headers } = response;
  return new Response(text === '' ? null : text, { status, statusText, headers });
}

function wrapped(text: string): string {
  const body = parseJson(text);
  const error = Array.isArray(body) ? body[0] : body;
  if (!isObject(error)) return text;
  return JSON.stringify(error.error === undefined ? { error } : error);
}
