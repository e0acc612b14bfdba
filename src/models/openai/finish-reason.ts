/** End of a reply. `open`: it has not ended, or the server does not report the end. */
export type Ending = 'open' | 'complete' | 'truncated' | 'filtered' | 'failed';

const unfinished = new Set(['', 'null', 'none', 'in_progress', 'unspecified', 'finish_reason_unspecified']);
const truncated = new Set([
  ...['length', 'max_tokens', 'max_length', 'max_output_tokens', 'model_length', 'token_limit'],
  ...['context_length', 'context_length_exceeded', 'model_context_window_exceeded'],
]);
const filtered = new Set([
  ...['content_filter', 'content_filtered', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'spii', 'sensitive'],
  ...['image_safety', 'guardrail_intervened'],
]);
/** Matches reasons such as `insufficient_system_resource` and `MALFORMED_FUNCTION_CALL`. */
const failure = /error|abort|cancel|interrupt|insufficient|fail|malformed|time_?d?_?out|overload|unavailable|incomplete/;

/**
 * Classifies a `finish_reason`. Servers use many words for a proper end (`eos`, `STOP`, `end_turn`), so any word that names no failure
 * counts as one.
 */
export function endingOf(finishReason: string): Ending {
  const word = finishReason.trim().toLowerCase();
  if (unfinished.has(word)) return 'open';
  if (truncated.has(word)) return 'truncated';
  if (filtered.has(word)) return 'filtered';
  return failure.test(word) ? 'failed' : 'complete';
}
