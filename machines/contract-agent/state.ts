import { append, defineState, type ErrorInfo, type JsonObject, toSafeError } from 'agent-machines';
import type { Citation } from 'agent-machines/citations';
import type { ContractVerdict } from 'agent-machines/contracts';
import type { ConversationMessage } from 'agent-machines/memory';
import { describeError, describeStop, isKorean } from 'agent-machines/text';

/** Whose text it is: the user's contract, or the standard contract that it is compared with. */
export type ContractSide = 'user' | 'standard';

/** Names one article. */
export interface ArticleRef {
  readonly side: ContractSide;
  /** `Article.id`, unique within its document. */
  readonly id: string;
  readonly label: string;
  readonly title: string;
}

/** An article that a tool has brought, with its text. */
export interface CollectedArticle extends ArticleRef {
  readonly deleted: boolean;
  readonly text: string;
  /** The tool that brought it first. */
  readonly via: string;
}

/** What a tool has found out besides the texts: that something does not exist, is deleted, missing or different. */
export interface Finding {
  readonly kind: 'not_found' | 'deleted' | 'repeated' | 'no_hit' | 'same' | 'differs' | 'missing' | 'added' | 'moved' | 'listed';
  /** The label, title or words that it is about. */
  readonly subject: string;
  readonly detail: string;
  /** Of an article that differs: what stands there and what in the standard contract, `[-only there-]{+only here+}`, around each change. */
  readonly wording?: string;
}

/** What the wording of the user's contract has for the question. */
export interface WordingFound {
  readonly verdict: ContractVerdict;
  /** Topics of contracts, or the question's own words. */
  readonly lookedFor: readonly string[];
  /** The best passages, best first, each with the article that it stands in; none when the contract is silent. */
  readonly passages: readonly (ArticleRef & { readonly text: string })[];
}

/** A call that passed the checks and will be made. */
export interface PlannedCall {
  /** The model's own id, for the record. */
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly signature: string;
  /** It may be made at the same time as others. */
  readonly parallel: boolean;
}

/** What became of a call that the model asked for. */
export interface ToolRecord {
  readonly tool: string;
  /** As the model wrote them when they could not be read. */
  readonly args: JsonObject | string;
  readonly iteration: number;
  /** `skipped`: it was not made. */
  readonly status: 'success' | 'failure' | 'skipped';
  /** Why it was skipped or has failed. */
  readonly reason?: string;
  /** Empty for a call that could not be read. */
  readonly signature: string;
  /** Labels of the articles that it brought. */
  readonly found: readonly string[];
}

/** What the evaluation decided, and why. */
export interface Decision {
  /** From 1. */
  readonly iteration: number;
  readonly action: 'continue' | 'finish';
  /** Who decided: the model, the limit of iterations, or the rule that an evaluation nobody can read is not enough. */
  readonly by: 'model' | 'limit' | 'unreadable';
  readonly reasoning: string;
  readonly missingInfo: string | null;
}

/** State of a run. README.md lists the document's field names. */
export interface ContractAgentState {
  readonly contractId: string;
  /** Fingerprint of the texts that the run began with; empty before the first node. */
  readonly contractHash: string;
  readonly userMessage: string;
  /** The last question and its answer; empty in a new conversation. */
  readonly previousTurn: readonly ConversationMessage[];
  /** What that answer was made from. */
  readonly previousSources: readonly ArticleRef[];
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  readonly inScope: boolean;
  readonly scopeReason: string;
  /** `null`: nobody has decided yet. */
  readonly needPreviousContext: boolean | null;
  readonly nextTools: readonly PlannedCall[];
  /** The model asked for calls, but none of them can be made. */
  readonly allToolsSkipped: boolean;
  /** Every call that a model asked for. */
  readonly toolHistory: readonly ToolRecord[];
  /** Each article once. */
  readonly collectedInfo: readonly CollectedArticle[];
  readonly findings: readonly Finding[];
  /** `null` for a question that is not looked for: small talk, a comparison, one that names an article. */
  readonly wording: WordingFound | null;
  readonly exploredArticles: readonly ArticleRef[];
  /** Articles that explored ones refer to, or that a search returned alongside them, and that have not been read yet. */
  readonly unexploredArticles: readonly ArticleRef[];
  readonly iterationCount: number;
  readonly maxIterations: number;
  /** What the evaluation wants the planner to look for. */
  readonly missingInfo: string | null;
  readonly decisionLog: readonly Decision[];
  readonly finalResponse: string | null;
  readonly sources: readonly ArticleRef[];
  /** The answer's places, quotes and figures, each with what the check of it found. */
  readonly citations: readonly Citation[];
  readonly verdict: ContractVerdict | null;
  /** The error that ended the run. */
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type ContractAgentMachineInput = Pick<
  ContractAgentState,
  'contractId' | 'userMessage' | 'previousTurn' | 'previousSources' | 'currentDatetime' | 'maxIterations'
>;

export interface ContractAgentOutput {
  /** The answer, or the reason why there is none. */
  readonly answer: string;
  /** The articles that the answer cites. */
  readonly sources: readonly ArticleRef[];
  /** What the answer names, quotes and gives as a figure. Those that are not `supported` are marked at the end of the answer, too. */
  readonly citations: readonly Citation[];
  /**
   * Whether the contract answers the question (`answer`), has only something near that may not be it (`nearest`), or says nothing about
   * it (`silent`). It goes by the contract's wording: a model may lower it, and does not raise it. `null` where nothing was asked of the
   * contract: small talk, a comparison, out of scope.
   */
  readonly verdict: ContractVerdict | null;
  /** What the contract was searched for: topics, or the question's own words. */
  readonly lookedFor: readonly string[];
  readonly toolHistory: readonly ToolRecord[];
  readonly decisionLog: readonly Decision[];
  /** Set when the run was stopped. */
  readonly error: ErrorInfo | null;
}

const keyOf = ({ side, id }: ArticleRef): string => `${side} ${id}`;

/** Adds what is not there yet. */
export function mergeArticles<T extends ArticleRef>(current: readonly T[], next: readonly T[]): T[] {
  const known = new Map(current.map((article) => [keyOf(article), article]));
  for (const article of next) if (!known.has(keyOf(article))) known.set(keyOf(article), article);
  return [...known.values()];
}

/** Without those that are in `others`. */
export function withoutArticles<T extends ArticleRef>(articles: readonly T[], others: readonly ArticleRef[]): T[] {
  const known = new Set(others.map(keyOf));
  return articles.filter((article) => !known.has(keyOf(article)));
}

export const toRef = ({ side, id, label, title }: ArticleRef): ArticleRef => ({ side, id, label, title });

export const state = defineState<ContractAgentState, ContractAgentMachineInput, ContractAgentOutput>({
  reducers: { toolHistory: append, collectedInfo: mergeArticles, exploredArticles: mergeArticles, findings: append, decisionLog: append },
  onError(state, thrown) {
    const error = toSafeError(thrown);
    return { error, finalResponse: describeStop(describeError(error), { korean: isKorean(state.userMessage) }) };
  },
});

export const initialState = (input: ContractAgentMachineInput): ContractAgentState => ({
  ...input,
  contractHash: '',
  inScope: false,
  scopeReason: '',
  needPreviousContext: null,
  nextTools: [],
  allToolsSkipped: false,
  toolHistory: [],
  collectedInfo: [],
  findings: [],
  wording: null,
  exploredArticles: [],
  unexploredArticles: [],
  iterationCount: 0,
  missingInfo: null,
  decisionLog: [],
  finalResponse: null,
  sources: [],
  citations: [],
  verdict: null,
  error: null,
});
