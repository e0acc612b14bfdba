import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JsonObject } from '../index.ts';
import type { RemoteModelOptions } from '../models/index.ts';
import { toJsonObject } from './to-json-object.ts';
import { wholeNumber } from './whole-number.ts';

/** APIs of OpenAI and compatible servers. */
export const modelApis = ['chat', 'responses'] as const;

/** Request settings for any model. */
export interface ModelSettings {
  /** @default 'chat' */
  readonly api?: (typeof modelApis)[number];
  readonly modelFirstByteMs?: number;
  readonly modelIdleMs?: number;
  readonly modelTotalMs?: number;
  readonly modelRetryAfterMs?: number;
  readonly reasoningEffort?: string;
  readonly maxOutputTokens?: number;
  readonly maxRepairs?: number;
  readonly extraBody?: JsonObject;
  /** May contain keys, so runs do not store them. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ModelFlags extends Omit<ModelSettings, 'headers'> {
  readonly header?: Readonly<Record<string, string>>;
}

export const withModelFlags = (command: Command): Command =>
  command
    .addOption(new Option('--api <name>', 'OpenAI API to use for the model (default: chat)').choices(modelApis))
    .option('--model-first-byte-ms <ms>', 'time limit for a reply to begin (default: 300000)', toMilliseconds)
    .option('--model-idle-ms <ms>', 'time limit for a pause within a reply (default: 300000)', toMilliseconds)
    .option('--model-total-ms <ms>', 'time limit for a reply, with all attempts (default: 900000)', toMilliseconds)
    .option('--model-retry-after-ms <ms>', 'maximum total wait for a busy model server (default: 60000)', toMilliseconds)
    .option('--reasoning-effort <word>', 'how much a model thinks: none, minimal, low, medium, high, xhigh')
    .option('--max-output-tokens <n>', 'maximum tokens of a reply, thoughts included', toPositive)
    .option('--max-repairs <n>', 'retries of a model whose reply is unusable (default: 1, or that of the workflow)', toRepairs)
    .option('--extra-body <json>', 'more fields for each request to a model', toBody)
    .option("--header <'name: value'>", 'header for each request to a model; may be repeated', addHeader);

export function remoteOptionsOf(settings: ModelSettings): RemoteModelOptions {
  const { modelFirstByteMs, modelIdleMs, modelTotalMs, modelRetryAfterMs } = settings;
  const { reasoningEffort, maxOutputTokens, extraBody, headers } = settings;
  return {
    ...(modelFirstByteMs === undefined ? {} : { firstByteTimeoutMs: modelFirstByteMs }),
    ...(modelIdleMs === undefined ? {} : { idleTimeoutMs: modelIdleMs }),
    ...(modelTotalMs === undefined ? {} : { totalTimeoutMs: modelTotalMs }),
    ...(modelRetryAfterMs === undefined ? {} : { maxRetryAfterMs: modelRetryAfterMs }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(extraBody === undefined ? {} : { extraBody }),
    ...(headers === undefined ? {} : { headers }),
  };
}

const toMilliseconds = wholeNumber(1, 2 ** 31 - 1);
const toPositive = wholeNumber(1, Number.MAX_SAFE_INTEGER);
const toRepairs = wholeNumber(0, 10);

/** Body fields that each request sets itself, in both APIs. */
export const ownFields = ['messages', 'input', 'stream'] as const;

function toBody(text: string): JsonObject {
  const value = toJsonObject(text);
  const ours = ownFields.filter((field) => Object.hasOwn(value, field));
  if (ours.length > 0) throw new InvalidArgumentError(`It has ${ours.join(' and ')}, which each request sets itself.`);
  return value;
}

function addHeader(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*([^\r\n]*)$/.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("It is not a header. Write 'name: value'.");
  return { ...before, [name]: value };
}
