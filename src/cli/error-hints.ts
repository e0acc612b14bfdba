import type { ErrorInfo, Json, JsonObject } from '../index.ts';
import { programName } from './program-name.ts';

/** Context of an error message. */
export interface HintContext {
  /** The database as a flag: `''`, or `--db FILE`. */
  readonly dbFlag?: string;
  readonly runId?: string;
  /** Help command for a wrong command line. */
  readonly help?: string;
  /** True if unusable files and values are mistakes of the command line, with its exit code. */
  readonly checksFiles?: boolean;
}

type ErrorWithHint = Pick<ErrorInfo, 'code' | 'hint' | 'data'>;
type Command = (words: string) => string;

/** A command of this program, with its database, ready to type. */
export const commandLine = (words: string, dbFlag = ''): string => [programName(), words, dbFlag].filter(Boolean).join(' ');

/** Matches hints of the library about options, calls and objects, which make no sense at the command line. */
const apiHint = /\b[a-z]+[A-Z]\w*|\b\w+\(|[{}`]|\b\w+: (?:true|false|')|\b(?:data|limits|runtime)\.\w/;

/** Advice on an error for the command line; `''` if there is none. */
export function hintOf({ code, hint = '', data }: ErrorWithHint, { dbFlag = '', runId }: HintContext = {}): string {
  const ownRun = typeof data?.runId === 'string' ? data.runId : runId;
  const own = hints[code]?.((words) => commandLine(words, dbFlag), ownRun ?? 'RUN', data ?? {});
  if (own !== undefined && (ownHintCodes.has(code) || apiHint.test(hint))) return own;
  return apiHint.test(hint) ? '' : hint;
}

const askLess = (): string => 'Ask for less at once.';
const askAgain = (): string => 'Ask again.';
const otherVersion = (): string => 'Use the program version that started it, or ask again in a new run.';

const timeFlags: ReadonlyMap<unknown, string> = new Map([
  ['firstByteTimeoutMs', '--model-first-byte-ms'],
  ['idleTimeoutMs', '--model-idle-ms'],
  ['totalTimeoutMs', '--model-total-ms'],
]);

function raiseTime(limit: Json | undefined): string | undefined {
  const flag = timeFlags.get(limit);
  return flag && `Raise ${flag} for a slow model, or use another --model.`;
}

/** Advice for the command line, by error code. */
const hints: Readonly<Record<string, (command: Command, runId: string, data: JsonObject) => string>> = {
  WORKFLOW_UNKNOWN: () => 'Use the program that started it.',
  OPTION_INVALID: () => 'Correct the flag. --help lists its values.',
  INPUT_INVALID: () => 'Pass the question in quotes, or a long one on standard input.',
  EVENT_INVALID: (command, runId) => `See the question: ${command(`resume ${runId}`)}`,
  INTERRUPT_UNKNOWN: (command, runId) => `See the current question: ${command(`resume ${runId}`)}`,
  INTERRUPT_ANSWERED: (command, runId) => `See its answer: ${command(`show ${runId}`)}`,
  NO_EDGE: (command, runId) => `This is an error of the workflow. See the run: ${command(`show ${runId}`)}`,
  BUDGET_EXCEEDED: (command, runId) => `Raise the budget of the app. Then: ${command(`retry ${runId}`)}`,
  LIMIT_EXCEEDED: () => 'The results so far are kept. Ask for less in a new run.',
  RUN_UNKNOWN: (command) => `List the runs: ${command('runs')}  Those of another database: --db FILE`,
  RUN_BUSY: (command, runId, { snapshot, cancel }) => {
    if (cancel === true) return `Wait for it, or end it: ${command(`cancel ${runId}`)}`;
    return snapshot === true
      ? `Wait for it, or export it as it is now: ${command(`runs export ${runId} --snapshot`)}`
      : `Wait for it. If its process is gone: ${command(`resume ${runId} --force`)}`;
  },
  RUN_ENDED: () => 'Ask again in a new run.',
  RUN_NOT_FAILED: (command, runId) => `Continue it: ${command(`resume ${runId}`)}`,
  RUN_FENCED: (command, runId) => `See its current state: ${command(`show ${runId}`)}`,
  RUN_POISONED: (command, runId) =>
    `See where it crashed: ${command(`show ${runId}`)}  Fix the cause, then: ${command(`release ${runId}`)}`,
  CALL_IN_DOUBT: (command, runId) => `Record its outcome. For the commands: ${command(`resume ${runId}`)}`,
  CALL_UNKNOWN: (command, runId) => `List the calls in doubt: ${command(`resume ${runId}`)}`,
  FORK_POINT_UNKNOWN: () => '',
  FORK_REPEATS_EFFECT: () => '',
  THREAD_BUSY: (command, runId) => `Wait for it, resume it (${command(`resume ${runId}`)}) or end it (${command(`cancel ${runId}`)}).`,
  THREAD_MOVED_ON: () => 'Ask again. The conversation has continued without this run.',
  THREAD_OF_OTHER_WORKFLOW: () => 'Use another --thread, or none.',
  JOURNAL_OF_OTHER_MACHINE: otherVersion,
  OFFER_CHANGED: () => 'Use the flags that the run began with, or accept the changes with --accept-changes.',
  JOURNAL_DIVERGED: otherVersion,
  STORE_UNAVAILABLE: (_command, _runId, { server }) =>
    server === true
      ? 'Check that the server of --db is running, its user and its database. PGPASSWORD is the password. Nothing that was committed is lost.'
      : 'Check the file of --db, its permissions and the free disk space. Nothing that was committed is lost.',
  STORE_KEY_INVALID: (command) =>
    `Give the key of the database with AGENT_MACHINES_KEY or --key-file FILE. To encrypt a database once: ${command('db rekey')}`,
  SEARCH_ENCRYPTED: (command) => `List them: ${command('memory list')}`,
  STORE_VERSION: (_command, _runId, { oldest }) =>
    oldest === undefined
      ? 'Update this program, or use another file with --db.'
      : 'Export its runs with the program version that wrote it (runs export). Import them into a new database (runs import).',
  CALL_NEEDS_APPROVAL: () => 'Ask without it.',
  TOOL_TIMEOUT: () => 'Try again later, or ask for less at once.',
  TOOL_OUTPUT_TOO_LARGE: askLess,
  FILE_TOO_LARGE: () => 'Ask for a smaller file.',
  RESPONSE_TOO_LARGE: askLess,
  FETCH_FAILED: () => 'Try again later.',
  RETRIEVER_UNAVAILABLE: () => 'Try again later.',
  MEMORY_FULL: (command) => `Delete some: ${command('memory list')} and ${command('memory forget ID')}`,
  CONTEXT_TOO_SMALL: () => "Raise --context-tokens to the model's limit.",
  MODEL_CONTEXT_FULL: () => 'Ask for less, offer fewer tools, or use a --model with a larger context.',
  MODEL_EMPTY: askAgain,
  MODEL_OUTPUT_INVALID: askAgain,
  MODEL_REFUSED: () => 'Rephrase the question.',
  MODEL_STREAM_CUT: (_command, _runId, { limit, page }) =>
    page === true ? 'Check --base-url. Most servers need /v1 at its end.' : (raiseTime(limit) ?? askAgain()),
  MODEL_TRUNCATED: () => 'Start a new conversation, or ask for less.',
  MODEL_UNAVAILABLE: (_command, _runId, { limit }) => raiseTime(limit) ?? 'Try again later, or use another --model or --base-url.',
  MODEL_REQUEST_REFUSED: () => 'Check --model, --base-url and the key.',
  MODEL_INPUT_UNSUPPORTED: () => 'Leave the file out, or use another --model.',
  MODEL_TASK_UNKNOWN: () => 'Use a language model: OPENAI_API_KEY or --base-url.',
};

/** Codes for which our command is more useful than the library's hint. */
const ownHintCodes: ReadonlySet<string> = new Set([
  'WORKFLOW_UNKNOWN',
  'INTERRUPT_UNKNOWN',
  'INTERRUPT_ANSWERED',
  'RUN_UNKNOWN',
  'RUN_BUSY',
  'RUN_ENDED',
  'RUN_FENCED',
  'RUN_POISONED',
  'CALL_IN_DOUBT',
  'CALL_UNKNOWN',
  'THREAD_BUSY',
  'THREAD_MOVED_ON',
  'THREAD_OF_OTHER_WORKFLOW',
  'JOURNAL_OF_OTHER_MACHINE',
  'STORE_UNAVAILABLE',
  'STORE_VERSION',
]);
