import type { WorkflowError } from '../core/errors/errors.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import { checkInteger } from '../core/util/check-integer.ts';
import { hasCode } from '../core/util/has-code.ts';
import type { ContextRefusal } from './context-refusal.ts';
import { contextTokensOf, minContextTokens } from './context-tokens-of.ts';
import { type LearnedContext, learnContext, learnedContext } from './learned-context.ts';
import { tokenCount } from './reported-usage.ts';
import { askWithRuleInput, type RuleInputSource, traitsOf } from './rule-model.ts';
import { boundRequestTokens, contextTokensFor, fitRequest, mostReplyTokens, requestTokens } from './tokens/fit-request.ts';

export interface FittedModelOptions {
  /**
   * Maximum number of tokens of request and reply together, estimated from above; at least 1,000. @default by the model's name:
   * `contextTokensOf`
   */
  readonly contextTokens?: number;
}

/**
 * Wraps a model so that no request exceeds its context. Longer texts are cut at the ends of sentences, with a mark that states how much was
 * removed. See `fitRequest`. If the model still rejects a request as too long, the request is cut to the limit in the error and sent once
 * more. That limit is remembered for the model. An error without a limit halves the request, at most 3 times.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a `contextTokens` below 1,000; its `generate` also `CONTEXT_TOO_SMALL` and
 * `MODEL_CONTEXT_FULL`.
 * @example const model = fittedModel(openaiModel({ model: 'qwen3:8b', baseURL }), { contextTokens: 8_192 });
 */
export function fittedModel(model: ChatModel, { contextTokens = contextTokensOf(model.name) }: FittedModelOptions = {}): ChatModel {
  checkInteger('contextTokens', contextTokens, { min: minContextTokens });
  return {
    ...traitsOf(model),
    async generate(request: ChatRequest, ruleInput?: RuleInputSource): Promise<ChatReply> {
      let context = learnedContext(model, contextTokens);
      let fitted = cutTo(request, context, model.maxOutputTokens);
      for (let refused = 0; ; refused++) {
        try {
          const reply = await askWithRuleInput(model, fitted, ruleInput);
          if (refused > 0) learnContext(model, context);
          return reply;
        } catch (error) {
          if (!hasCode(error, 'MODEL_CONTEXT_FULL')) throw error;
          const refusal = refusalIn(error);
          if (refused >= (refusal.limitTokens === undefined ? mostGuesses : 1)) throw error;
          context = narrowerContext(fitted, context, refusal, model.maxOutputTokens);
          const again = cutAgain(request, context, model.maxOutputTokens);
          if (!again) throw error; // the provider's error says more about the excess than ours
          fitted = again;
        }
      }
    },
  };
}

/** Maximum number of halvings when the error names no limit. */
const mostGuesses = 3;

/** Cuts a request to a context, and lowers its reply limit if the provider would reserve too much for the reply. */
function cutTo(request: ChatRequest, { contextTokens, replyTokens }: LearnedContext, ofModel: number | undefined): ChatRequest {
  const bound = request.maxOutputTokens ?? ofModel ?? replyTokens;
  const fitted = fitRequest(request, contextTokens, bound);
  const most = mostReplyTokens(contextTokens);
  return replyTokens !== undefined && bound !== undefined && bound > most ? { ...fitted, maxOutputTokens: most } : fitted;
}

function cutAgain(request: ChatRequest, context: LearnedContext, ofModel: number | undefined): ChatRequest | undefined {
  try {
    return cutTo(request, context, ofModel);
  } catch (error) {
    if (hasCode(error, 'CONTEXT_TOO_SMALL')) return undefined;
    throw error;
  }
}

const refusalIn = ({ data }: WorkflowError): { readonly [K in keyof ContextRefusal]: number | undefined } => ({
  limitTokens: tokenCount(data?.limitTokens),
  inputTokens: tokenCount(data?.inputTokens),
  outputTokens: tokenCount(data?.outputTokens),
});

/** Margin below the limit, because the provider's count exceeded it although ours did not. */
const safety = 0.95;

/**
 * Derives a smaller context from a rejected request: the limit in the error, scaled if the provider counts more tokens than we do. The
 * result always cuts something.
 */
function narrowerContext(
  sent: ChatRequest,
  known: LearnedContext,
  { limitTokens, inputTokens, outputTokens }: ReturnType<typeof refusalIn>,
  ofModel: number | undefined,
): LearnedContext {
  const replyTokens = outputTokens ?? known.replyTokens;
  const bound = sent.maxOutputTokens ?? ofModel ?? replyTokens;
  const context = Math.min(limitTokens ?? known.contextTokens, known.contextTokens);
  const sentTokens = boundRequestTokens(sent);
  const countRatio = inputTokens === undefined ? 1 : Math.max(1, inputTokens / sentTokens);
  const room = requestTokens(context, bound) / countRatio;
  const tokens =
    room < sentTokens ? room : sentTokens * (inputTokens === undefined ? 0.5 : Math.min(safety, (room / inputTokens) * safety));
  return {
    contextTokens: Math.min(context, contextTokensFor(Math.floor(tokens), bound)),
    ...(replyTokens === undefined ? {} : { replyTokens }),
  };
}
