/** A provider's report that a request exceeds the model's context, counted in the provider's own tokens. */
export interface ContextRefusal {
  /** Token limit of request and reply together, or of the request alone. */
  readonly limitTokens?: number;
  readonly inputTokens?: number;
  /** Number of tokens reserved for the reply. */
  readonly outputTokens?: number;
}

/** Statuses of such errors. llama.cpp uses 500; OpenAI uses 429 for a single request above the rate limit. */
const statuses = new Set<number | undefined>([undefined, 400, 413, 422, 429, 500]);

const refusals = [
  /context_length_exceeded|exceed_context_size|context_window_exceeded/,
  /(?:maximum|available|model'?s?) (?:context|prompt|model|input)[ _](?:length|size|window|limit)/i,
  /exceeds? (?:the )?(?:\w+ )?context (?:length|size|window|limit)/i,
  /(?:prompt|input|request) (?:is )?too (?:long|large)|too (?:long|large) for (?:requested )?model|too many input tokens|tokens in the prompt cannot exceed/i,
  /input token count.{0,60}exceeds|context length of only|max_new_tokens. must be <=/i,
];

/** True for an exhausted rate; false for a single request that exceeds the rate. */
const isRate = (status: number | undefined, words: string): boolean => status === 429 && !/request too large/i.test(words);

type Part = keyof ContextRefusal;

/**
 * Patterns of the numbers in messages of OpenAI, vLLM, llama.cpp, Anthropic, Gemini, Groq, Mistral and others. The first match of each part
 * wins.
 */
const numbers: Readonly<Record<Part, readonly RegExp[]>> = {
  limitTokens: [
    /"n_ctx"\s*:\s*(\d+)/,
    /exceed context limit: \d+ \+ \d+ > (\d+)/i,
    /context (?:length|size|window|limit)(?: is| of)?(?: only)?:? \(?(\d+)/i,
    /(?:maximum (?:prompt|model|input) length)(?: is| of)? (\d+)/i,
    /> (\d+) maximum/i,
    /number of tokens allowed \(?(\d+)/i,
    /\bLimit:? (\d+), Requested/i,
    /(\d+) maximum context length/i,
    /must be <= (\d+)/i,
    /cannot exceed (\d+)/i,
  ],
  inputTokens: [
    /"n_prompt_tokens"\s*:\s*(\d+)/,
    /requested[^.(]{0,40}\((\d+) (?:in the messages|of text input|in your prompt)/i,
    /messages resulted in (\d+)/i,
    /prompt contains (?:at least )?(\d+)/i,
    /exceed context limit: (\d+) \+/i,
    /too long: (\d+) tokens/i,
    /input token count \(?(\d+)/i,
    /(?:request|prompt) \((?:length )?(\d+)/i,
    /(?:request has|request contains|You passed) (\d+)/i,
    /Limit:? \d+, Requested (\d+)/i,
    /Given: (\d+)/i,
    /cannot exceed \d+ - received (\d+)/i,
    /However, you requested (?:about )?(\d+) tokens/i,
  ],
  outputTokens: [
    /requested[^.(]{0,40}\([^)]*?(\d+) (?:in the (?:completion|output)|for the completion)/i,
    /requested (\d+) output tokens/i,
    /exceed context limit: \d+ \+ (\d+) >/i,
    /max_(?:completion_)?tokens['`"]? is too large: (\d+)/i,
  ],
};

/**
 * Parses an error about a request that exceeds the model's context; `undefined` for any other error.
 *
 * @param words The provider's original error message and body.
 */
export function contextRefusal(status: number | undefined, words: string): ContextRefusal | undefined {
  if (!statuses.has(status) || isRate(status, words) || !refusals.some((pattern) => pattern.test(words))) return undefined;
  const text = words.replaceAll(/(\d)[,_](?=\d{3}\b)/g, '$1');
  const counts = Object.entries(numbers).flatMap(([part, patterns]) => {
    const found = patterns.map((pattern) => Number(pattern.exec(text)?.[1])).find((number) => number > 0);
    return found === undefined ? [] : [[part, found] as const];
  });
  return Object.fromEntries(counts);
}
