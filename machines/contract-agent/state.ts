import { append, defineState, type ErrorInfo, type JsonObject, toSafeError } from 'agent-machines';
import type { Citation, ContractVerdict, PassageReason } from 'agent-machines/contracts';
import type { ConversationMessage } from 'agent-machines/memory';
import { answersInKorean, describeStop } from 'agent-machines/search';
import type { ContractReply } from './several/answer-by-contract.ts';

/** Side of a text: the user's contract, or the standard contract. */
export type ContractSide = 'user' | 'standard';

/** Reference to an article. */
export interface ArticleRef {
  readonly side: ContractSide;
  /** Name of the contract, for a question that chose its contracts itself. Absent for the only contract. */
  readonly contract?: string;
  /** `Article.id`, unique within its document. */
  readonly id: string;
  readonly label: string;
  readonly title: string;
}

/** An article that a tool has returned, with its text. */
export interface CollectedArticle extends ArticleRef {
  readonly deleted: boolean;
  readonly text: string;
  /** Name of the first tool that returned it. */
  readonly via: string;
}

/** A result of a tool besides texts: something is missing, deleted or different. */
export interface Finding {
  readonly kind: 'not_found' | 'deleted' | 'repeated' | 'no_hit' | 'same' | 'differs' | 'missing' | 'added' | 'moved' | 'listed';
  /** The label, title or words that the finding is about. */
  readonly subject: string;
  readonly detail: string;
  /** For a changed article: its redline against the standard contract, with `[-only there-]{+only here+}` around each change. */
  readonly wording?: string;
}

/** Passages of the user's contract whose wording matches the question. */
export interface WordingFound {
  readonly verdict: ContractVerdict;
  /** Search topics: contract topics, or the question's own words. */
  readonly lookedFor: readonly string[];
  /** Best passages, best first, each with its article; empty if the contract is silent. */
  readonly passages: readonly WordingPassage[];
  /** Passages that change one of these. */
  readonly joined: readonly ExceptionFound[];
}

export interface WordingPassage extends ArticleRef {
  readonly text: string;
  /** Share of the question's words, from 0 to 1. */
  readonly score: number;
  readonly why: PassageReason;
  /** Verdict of its contract, among several. */
  readonly verdict?: ContractVerdict;
}

/** A passage that changes an article of the user's contract. */
export interface ExceptionFound extends ArticleRef {
  readonly text: string;
  /** The `id` of the changed article. */
  readonly changes: string;
}

/** Answer of one contract to a question that each contract is asked. */
export interface ContractRow extends ContractReply {
  readonly contract: string;
}

/** A call that has passed the checks and will be made. */
export interface PlannedCall {
  /** The model's own id, kept for the record. */
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly signature: string;
  /** True if the call can run in parallel with others. */
  readonly parallel: boolean;
}

/** Record of a call that the model asked for. */
export interface ToolRecord {
  readonly tool: string;
  /** Parsed arguments, or the model's text if they were unreadable. */
  readonly args: JsonObject | string;
  readonly iteration: number;
  /** `skipped`: the call was not made. */
  readonly status: 'success' | 'failure' | 'skipped';
  /** Reason for the skip or the failure. */
  readonly reason?: string;
  /** Empty for an unreadable call. */
  readonly signature: string;
  /** Labels of the articles that the call returned. */
  readonly found: readonly string[];
}

/** Decision of the evaluation, with its reason. */
export interface Decision {
  /** Iteration, counted from 1. */
  readonly iteration: number;
  readonly action: 'continue' | 'finish';
  /** Source of the decision: the model, the iteration limit, or the rule that an unreadable evaluation counts as not enough. */
  readonly by: 'model' | 'limit' | 'unreadable';
  readonly reasoning: string;
  readonly missingInfo: string | null;
}

/** State of a run. README.md lists the document's field names. */
export interface ContractAgentState {
  readonly contractId: string;
  /** Names of the contracts that the question is about, if the caller chose none of several; empty before the first node. */
  readonly contractIds: readonly string[];
  /** Hash of the contract's texts at the start of the run; empty before the first node. */
  readonly contractHash: string;
  /** The user's question, word for word. */
  readonly input: string;
  /** The last question and its answer; empty in a new conversation. */
  readonly previousTurn: readonly ConversationMessage[];
  /** Articles behind that answer. */
  readonly previousSources: readonly ArticleRef[];
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  /** IANA time zone of the run, as stored at its start. */
  readonly timeZone?: string;
  readonly inScope: boolean;
  readonly scopeReason: string;
  /** `null` while undecided. */
  readonly needPreviousContext: boolean | null;
  readonly nextTools: readonly PlannedCall[];
  /** The model asked for calls, but none of them can be made. */
  readonly allToolsSkipped: boolean;
  /** Question to ask each contract; `null` if there is none. */
  readonly eachQuestion: string | null;
  /** Answers of all contracts to it, in the order of the contracts. */
  readonly table: readonly ContractRow[];
  /** Every call that the model asked for. */
  readonly toolHistory: readonly ToolRecord[];
  /** Articles that were read, each once. */
  readonly collectedInfo: readonly CollectedArticle[];
  readonly findings: readonly Finding[];
  /** `null` for a question without a search: small talk, a comparison, a question that names an article. */
  readonly wording: WordingFound | null;
  /** Passages that change the articles that were read. */
  readonly exceptions: readonly ExceptionFound[];
  readonly exploredArticles: readonly ArticleRef[];
  /** Unread articles that explored ones refer to, or that a search returned alongside them. */
  readonly unexploredArticles: readonly ArticleRef[];
  readonly iterationCount: number;
  readonly maxIterations: number;
  /** Information that the evaluation asks the planner to look for. */
  readonly missingInfo: string | null;
  readonly decisionLog: readonly Decision[];
  readonly finalResponse: string | null;
  readonly sources: readonly ArticleRef[];
  /** Places, quotations and figures of the answer, each with the result of its check. */
  readonly citations: readonly Citation[];
  readonly verdict: ContractVerdict | null;
  /** The error that ended the run. */
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type ContractAgentMachineInput = Pick<
  ContractAgentState,
  'contractId' | 'input' | 'previousTurn' | 'previousSources' | 'currentDatetime' | 'timeZone' | 'maxIterations'
>;

export interface ContractAgentOutput {
  /** The answer, or the reason why there is none. */
  readonly answer: string;
  /** Articles that the answer cites. */
  readonly sources: readonly ArticleRef[];
  /** Places, quotations and figures of the answer. All that are not `supported` are also marked at the end of the answer. */
  readonly citations: readonly Citation[];
  /**
   * Verdict of the contract on the question: `answer`, `nearest` (something related that may not be the answer) or `silent`. It follows the
   * contract's wording. A model can lower it, and raise it only by a verified quote. `null` if the contract was not searched: small talk, a
   * comparison, out of scope.
   */
  readonly verdict: ContractVerdict | null;
  /** Search topics: contract topics, or the question's own words. */
  readonly lookedFor: readonly string[];
  /** Answers of all contracts, for a question that asks each of several; otherwise empty. The answer's text may show fewer. */
  readonly table: readonly ContractRow[];
  readonly toolHistory: readonly ToolRecord[];
  readonly decisionLog: readonly Decision[];
  /** Set if the run was stopped. */
  readonly error: ErrorInfo | null;
}

const keyOf = ({ side, id, contract = '' }: ArticleRef): string => `${contract} ${side} ${id}`;

/** Adds the articles that are not in the list yet. */
export function mergeArticles<T extends ArticleRef>(current: readonly T[], next: readonly T[]): T[] {
  const known = new Map(current.map((article) => [keyOf(article), article]));
  for (const article of next) if (!known.has(keyOf(article))) known.set(keyOf(article), article);
  return [...known.values()];
}

/** Adds the exceptions that are not in the list yet. */
export const mergeExceptions = (current: readonly ExceptionFound[], next: readonly ExceptionFound[]): ExceptionFound[] => [
  ...new Map([...current, ...next].map((each) => [`${each.changes} ${each.id} ${each.text}`, each])).values(),
];

/** Removes the articles that are in `others`. */
export function withoutArticles<T extends ArticleRef>(articles: readonly T[], others: readonly ArticleRef[]): T[] {
  const known = new Set(others.map(keyOf));
  return articles.filter((article) => !known.has(keyOf(article)));
}

export const toRef = ({ side, id, label, title, contract }: ArticleRef): ArticleRef => ({
  side,
  ...(contract === undefined ? {} : { contract }),
  id,
  label,
  title,
});

/** Adds the name of the contract to references; changes nothing without a name. */
export const inContract = <T extends ArticleRef>(refs: readonly T[], contract: string | undefined): readonly T[] =>
  contract === undefined ? refs : refs.map((ref) => ({ ...ref, contract }));

export const state = defineState<ContractAgentState, ContractAgentMachineInput, ContractAgentOutput>({
  reducers: {
    toolHistory: append,
    collectedInfo: mergeArticles,
    exceptions: mergeExceptions,
    exploredArticles: mergeArticles,
    findings: append,
    decisionLog: append,
  },
  onError(state, thrown) {
    const error = toSafeError(thrown);
    return { error, finalResponse: describeStop(error, { korean: answersInKorean(state.input) }) };
  },
});

export const initialState = (input: ContractAgentMachineInput): ContractAgentState => ({
  ...input,
  contractIds: [],
  contractHash: '',
  inScope: false,
  scopeReason: '',
  needPreviousContext: null,
  nextTools: [],
  allToolsSkipped: false,
  eachQuestion: null,
  table: [],
  toolHistory: [],
  collectedInfo: [],
  findings: [],
  wording: null,
  exceptions: [],
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
