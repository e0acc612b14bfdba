import type { ErrorInfo, Json, JsonObject } from '../index.ts';
import { programName } from './program-name.ts';

/** Context of an error message. */
export interface HintContext {
  /** The database as a flag: `''`, or `--db FILE`. */
  readonly dbFlag?: string;
  readonly runId?: string;
  /** Help command for a wrong command line. */
  readonly help?: string;
}

type Hinted = Pick<ErrorInfo, 'code' | 'hint' | 'data'>;
type Command = (words: string) => string;

/** A command of this program, with its database, ready to type. */
export const commandLine = (words: string, dbFlag = ''): string => [programName(), words, dbFlag].filter(Boolean).join(' ');

/** Matches hints of the library about options, calls and objects, which make no sense at the command line. */
const speaksToPrograms = /\b[a-z]+[A-Z]\w*|\b\w+\(|[{}`]|\b\w+: (?:true|false|')|\b(?:data|limits|runtime)\.\w/;

/** Advice on an error for the command line; `''` if there is none. */
export function hintOf({ code, hint = '', data }: Hinted, { dbFlag = '', runId }: HintContext = {}): string {
  const ownRun = typeof data?.runId === 'string' ? data.runId : runId;
  const own = hints[code]?.((words) => commandLine(words, dbFlag), ownRun ?? 'RUN', data ?? {});
  if (own !== undefined && (isAlwaysOurs.has(code) || speaksToPrograms.test(hint))) return own;
  return speaksToPrograms.test(hint) ? '' : hint;
}

const askLess = (): string => 'Ask for less at once.';
const askAgain = (): string => 'Ask again.';
const otherVersion = (): string => 'Use the version of this program that it was started with, or ask again in a new run.';

/** Flag of each time limit that a model can exceed. */
const timeFlags: ReadonlyMap<unknown, string> = new Map([
  ['firstByteTimeoutMs', '--model-first-byte-ms'],
  ['idleTimeoutMs', '--model-idle-ms'],
  ['totalTimeoutMs', '--model-total-ms'],
]);

function raiseTime(limit: Json | undefined): string | undefined {
  const flag = timeFlags.get(limit);
  return flag && `Raise ${flag} for a model that thinks for long, or give another --model.`;
}

/** Advice for the command line, by error code. */
const hints: Readonly<Record<string, (command: Command, runId: string, data: JsonObject) => string>> = {
  WORKFLOW_UNKNOWN: () => 'Use the program that it was started with.',
  OPTION_INVALID: () => 'Correct the flag; --help says what each takes.',
  INPUT_INVALID: () => 'Give the question as one argument, in quotes.',
  EVENT_INVALID: (command, runId) => `Look at what is asked: ${command(`resume ${runId}`)}`,
  INTERRUPT_UNKNOWN: (command, runId) => `Look at what is asked now: ${command(`resume ${runId}`)}`,
  INTERRUPT_ANSWERED: (command, runId) => `Look at what has become of it: ${command(`show ${runId}`)}`,
  NO_EDGE: (command, runId) => `This is an error of the workflow. Look at the run: ${command(`show ${runId}`)}`,
  LIMIT_EXCEEDED: () => 'Everything up to here is kept. Ask for less in a new run.',
  RUN_UNKNOWN: (command) => `List the runs: ${command('runs')}  Those of another database: --db FILE`,
  RUN_BUSY: (command, runId, { snapshot, cancel }) => {
    if (cancel === true) return `Wait for it, or end it: ${command(`cancel ${runId}`)}`;
    return snapshot === true
      ? `Wait for it, or take it as it stands: ${command(`runs export ${runId} --snapshot`)}`
      : `Wait for it. When its process is gone: ${command(`resume ${runId} --force`)}`;
  },
  RUN_ENDED: () => 'Ask again in a new run.',
  RUN_FENCED: (command, runId) => `Look at it as it is now: ${command(`show ${runId}`)}`,
  RUN_POISONED: (command, runId) =>
    `Look at its end: ${command(`show ${runId}`)}  When the cause is removed: ${command(`release ${runId}`)}`,
  CALL_IN_DOUBT: (command, runId) => `Say what became of it; the commands: ${command(`resume ${runId}`)}`,
  CALL_UNKNOWN: (command, runId) => `List the calls in doubt: ${command(`resume ${runId}`)}`,
  FORK_POINT_UNKNOWN: () => '',
  FORK_REPEATS_EFFECT: () => '',
  THREAD_BUSY: (command, runId) => `Wait for it, go on with it (${command(`resume ${runId}`)}) or end it (${command(`cancel ${runId}`)}).`,
  THREAD_MOVED_ON: () => 'Ask again: the conversation has gone on without this run.',
  THREAD_OF_OTHER_WORKFLOW: () => 'Give another --thread, or none.',
  JOURNAL_OF_OTHER_MACHINE: otherVersion,
  OFFER_CHANGED: () => 'Give the flags that the run began with, or accept the changes with --accept-changes.',
  JOURNAL_DIVERGED: otherVersion,
  STORE_UNAVAILABLE: (_command, _runId, { server }) =>
    server === true
      ? 'Look whether the server of --db is there, and at its user and database; PGPASSWORD is the password. Nothing that was committed is lost.'
      : 'Look at the file of --db, its permissions and the space on the disk. Nothing that was committed is lost.',
  STORE_VERSION: (_command, _runId, { oldest }) =>
    oldest === undefined
      ? 'Update this program, or give another file with --db.'
      : 'Export its runs with the version of this program that wrote it (runs export), and import them into a new database (runs import).',
  CALL_NEEDS_APPROVAL: () => 'Ask without it.',
  TOOL_TIMEOUT: () => 'Try again later, or ask for less at once.',
  TOOL_OUTPUT_TOO_LARGE: askLess,
  FILE_TOO_LARGE: () => 'Ask for a smaller file.',
  RESPONSE_TOO_LARGE: askLess,
  FETCH_FAILED: () => 'Try again later.',
  RETRIEVER_UNAVAILABLE: () => 'Try again later.',
  MEMORY_FULL: (command) => `Forget some of it: ${command('memory list')} and ${command('memory forget ID')}`,
  CONTEXT_TOO_SMALL: () => 'Raise --context-tokens to what the model takes.',
  MODEL_CONTEXT_FULL: () => 'Ask for less, offer fewer tools, or give a --model with a larger context.',
  MODEL_EMPTY: askAgain,
  MODEL_OUTPUT_INVALID: askAgain,
  MODEL_REFUSED: () => 'Change what is asked.',
  MODEL_STREAM_CUT: (_command, _runId, { limit, page }) =>
    page === true ? 'Look at --base-url: that of most servers ends with /v1.' : (raiseTime(limit) ?? askAgain()),
  MODEL_TRUNCATED: () => 'Begin a new conversation, or ask for less.',
  MODEL_UNAVAILABLE: (_command, _runId, { limit }) => raiseTime(limit) ?? 'Try again later, or give another --model or --base-url.',
  MODEL_REQUEST_REFUSED: () => 'Look at --model, --base-url and the key.',
  MODEL_INPUT_UNSUPPORTED: () => 'Leave the file out, or give another --model.',
  MODEL_TASK_UNKNOWN: () => 'Use a language model: OPENAI_API_KEY or --base-url.',
};

/** Codes for which our command is more useful than the library's hint. */
const isAlwaysOurs: ReadonlySet<string> = new Set([
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
