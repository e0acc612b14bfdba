import { resolve as absolute } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { entries, type WorkflowEntry } from '../../machines/index.ts';
import { WorkflowError } from '../core/errors/errors.ts';
import { checkTimeZone } from '../core/util/local-datetime.ts';
import { absoluteContract } from './contract-flag.ts';
import { databaseIssue, defaultDb, localPathOf, memoryPathOf, shownDatabase } from './database.ts';
import { commandLine } from './error-hints.ts';
import { type ModelFlags, withModelFlags } from './model-flags.ts';
import { addModelNames } from './model-names.ts';
import { type Settings, storeTypes } from './settings.ts';
import { optionWords } from './shell-words.ts';
import { wholeNumber } from './whole-number.ts';
import type { MetricsAddress } from './worker-metrics.ts';

export { defaultDb } from './database.ts';

export interface CommonFlags {
  readonly db: string;
  readonly json?: boolean;
}

/** Flags of commands that resume runs. */
export interface ResumingFlags {
  /** True resumes runs even if their models, tools or limits have changed since they started. */
  readonly acceptChanges?: boolean;
}

export interface TelemetryFlags {
  /** True sends spans. Absent: the environment decides. */
  readonly otel?: boolean;
}

export interface UserFlags extends Pick<Settings, 'store' | 'storeUrl'> {
  readonly db: string;
  readonly user: string;
}

/** Validates `--db`: a file name for SQLite, or a PostgreSQL URL. */
export function databaseFile(db: string): string {
  const issue = databaseIssue(db);
  if (issue === undefined) return db;
  throw new InvalidArgumentError(`It ${issue}. Give a file name.`);
}

function toTimeZone(name: string): string {
  try {
    return checkTimeZone(name);
  } catch (error) {
    throw new InvalidArgumentError(WorkflowError.isInstance(error) ? `${error.message} ${error.hint}` : String(error));
  }
}

type ReadNumber = (text: string) => number;

export const toContextTokens: ReadNumber = wholeNumber(1_000, 100_000_000);
export const toCount: ReadNumber = wholeNumber(1, 10_000);
export const toMany: ReadNumber = wholeNumber(1, 1_000_000);
export const toPort: ReadNumber = wholeNumber(0, 65_535, '0 (a free one)');

/** Parses `[HOST:]PORT`; an IPv6 address is in brackets. */
export function toMetricsAddress(text: string): MetricsAddress {
  const [, bracketed, plain, port = ''] = /^(?:(?:\[([0-9a-f:.]+)\]|([\w.-]+)):)?(\d+)$/i.exec(text.trim()) ?? [];
  if (port === '') throw new InvalidArgumentError('It is not [HOST:]PORT, such as 9464 or 0.0.0.0:9464.');
  return { host: bracketed ?? plain, port: toPort(port) };
}

function toInstructions(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty.');
}

const addContract = (file: string, before?: string | readonly string[]): string | readonly string[] =>
  before === undefined ? file : [...(typeof before === 'string' ? [before] : before), file];

const addServer = (server: string, before: readonly string[] = []): readonly string[] => [...before, server];

export const withCommon = (command: Command): Command =>
  command.option('--db <file>', 'database of the runs', databaseFile, defaultDb).option('--json', 'print lines of JSON on standard output');

export const withAcceptance = (command: Command): Command =>
  command.option('--accept-changes', 'resume although model, tools or limits have changed; the journal records it');

export const withTelemetry = (command: Command): Command =>
  command
    .option('--otel', 'send the runs as OpenTelemetry spans (default: when OTEL_EXPORTER_OTLP_ENDPOINT is set)')
    .option('--no-otel', 'send no spans');

const namesOf = (isMeant: (entry: WorkflowEntry) => boolean | undefined): string =>
  entries
    .filter(isMeant)
    .map(({ name }) => name)
    .join(' or ');

export const withSettings = (command: Command): Command =>
  withModelFlags(command)
    .option('--docs <dir>', 'folder of documents to search (default: README and docs of the current folder)')
    .option('--root <dir>', 'folder that tools may read')
    .option('--contract <file>', 'contract to ask about: [NAME=]FILE, or a folder of them; may be repeated', addContract)
    .option('--standard <file>', 'standard contract to compare it with')
    .addOption(
      new Option('--store <type>', 'store for documents to search, or for memories (sqlite, chroma) and a catalogue (chroma)').choices(
        storeTypes,
      ),
    )
    .option('--store-url <url>', 'address of a Chroma or OpenSearch server')
    .option('--user <id>', `user whose memories ${namesOf(({ knowsUsers }) => knowsUsers)} reads and writes`)
    .option('--time-zone <name>', 'IANA time zone for dates and times; default: that of the machine', toTimeZone)
    .option(
      '--model <name>',
      'language model, with OPENAI_API_KEY or --base-url; `local` finds one on this machine; NODE=NAME is for one node',
      addModelNames,
    )
    .option('--base-url <url>', 'OpenAI-compatible server')
    .option('--instructions <text>', `instructions for ${namesOf(({ talks }) => talks)}`, toInstructions)
    .option('--context-tokens <n>', 'context size of the model in tokens, reply included (default: by its name)', toContextTokens)
    .option('--mcp <server>', 'tools of an MCP server: [NAME=]URL or [NAME=]COMMAND; may be repeated', addServer)
    .option("--mcp-header <'[name=]header: value'>", 'header for an MCP server; may be repeated', addServer)
    .option(
      '--mcp-declare <name[.tool]=words>',
      "properties of an MCP server's tools: private, untrusted, external or none; pure, idempotent or once; may be repeated",
      addServer,
    )
    .option('--allow-net', 'allow tools to use the network')
    .option('--allow-python', 'allow tools to run Python in a sandbox')
    .option('--allow-egress', 'allow tools to send queries out even if the thread has private data');

/** Flags that are settings of the same name and value. */
const sameSettings = [
  ...['storeUrl', 'user', 'timeZone', 'model', 'instructions', 'contextTokens', 'mcp', 'mcpHeader', 'mcpDeclare'],
  ...['allowNet', 'allowPython', 'allowEgress', 'api', 'modelFirstByteMs', 'modelIdleMs', 'modelTotalMs', 'modelRetryAfterMs'],
  ...['reasoningEffort', 'maxOutputTokens', 'maxRepairs', 'extraBody'],
] as const;

/** Converts flags to settings, without the missing ones. Paths become absolute. */
export function toSettings(flags: Settings & ModelFlags & Partial<CommonFlags>): Settings {
  const { db = defaultDb, store, baseUrl, header } = flags;
  const given = sameSettings.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]));
  const paths = (['docs', 'root', 'standard'] as const).flatMap((name) =>
    flags[name] === undefined ? [] : [[name, absolute(flags[name])]],
  );
  const { contract } = flags;
  return {
    ...Object.fromEntries([...given, ...paths]),
    ...(contract === undefined
      ? {}
      : { contract: typeof contract === 'string' ? absoluteContract(contract) : contract.map(absoluteContract) }),
    memory: absolute(memoryPathOf(db)),
    ...(store === undefined ? {} : { store, storePath: `${absolute(localPathOf(db)).replace(/\.db$/, '')}.documents` }),
    ...(baseUrl === undefined ? {} : { baseUrl, keyless: false }),
    ...(header === undefined ? {} : { headers: header }),
  };
}

export const withUser = (command: Command): Command =>
  command
    .option('--db <file>', 'database of the runs; memories are stored beside it', databaseFile, defaultDb)
    .option('--user <id>', 'user whose memories are meant', 'local')
    .addOption(new Option('--store <type>', 'store of the memories').choices(['sqlite', 'chroma']))
    .option('--store-url <url>', 'address of a Chroma server');

export const dbFlag = ({ db }: CommonFlags): string => (db === defaultDb ? '' : optionWords({ db: shownDatabase(db) }));

/** Command that resumes a conversation. A thread does not store the opened folders and granted permissions, so the flags repeat them. */
export const chatCommand = (
  thread: string,
  { db, json: _, header: _header, file: _file, ...flags }: CommonFlags & Settings & ModelFlags & { readonly file?: readonly string[] },
): string => commandLine(`chat ${optionWords({ ...flags, thread })}`, dbFlag({ db }));
