import type { WorkflowError } from '../errors.ts';
import { boundRequestTokens, contextTokensFor, fitRequest, mostReplyTokens, requestTokens } from '../memory/fit-request.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../ports/chat-model.ts';
import { checkInteger } from '../util/check-integer.ts';
import { hasCode } from '../util/has-code.ts';
import type { ContextRefusal } from './context-refusal.ts';
import { contextTokensOf, minContextTokens } from './context-tokens-of.ts';
import { type LearnedContext, learnContext, learnedContext } from './learned-context.ts';
import { tokenCount } from './reported-usage.ts';
import { askWithRuleInput, boundOf, isRuleModel, type RuleInputSource } from './rule-model.ts';

export interface FittedModelOptions {
  /** Tokens of request and reply together, estimated from above; from 1,000. @default by the model's name: `contextTokensOf` */
  readonly contextTokens?: number;
}

/**
 * A model that is never sent more than it takes: what is too long is cut at the ends of sentences, with a mark that says how much was left
 * out. See `fitRequest`. If the model still refuses a request as too long, the request is cut to the limit that the refusal names and sent
 * once more; the limit is kept for the model. A refusal without a limit halves the request, at most 3 times.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a `contextTokens` below 1,000; its `generate` also `CONTEXT_TOO_SMALL` and
 *   `MODEL_CONTEXT_FULL`.
 * @example const model = fittedModel(openaiModel({ model: 'qwen3:8b', baseURL }), { contextTokens: 8_192 });
 */
export function fittedModel(model: ChatModel, { contextTokens = contextTokensOf(model.name) }: FittedModelOptions = {}): ChatModel {
  checkInteger('contextTokens', contextTokens, { min: minContextTokens });
  return {
    name: model.name,
    ...boundOf(model),
    ...(isRuleModel(model) ? { takesRuleInput: true } : {}),
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
          if (!again) throw error; // its words say more than ours about what does not fit
          fitted = again;
        }
      }
    },
  };
}

/** Without a limit in the refusal, the request is halved this often. */
const mostGuesses = 3;

/** Cuts a request to a context, and its bound of the reply if the provider would keep too much free for it. */
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

/** Kept below a limit that the provider's own count has passed though ours had not. */
const safety = 0.95;

/**
 * The context that a refused request shows: what the refusal says, scaled where the provider counts more tokens than we do, and always
 * small enough to cut something.
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
