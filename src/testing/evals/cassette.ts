import { fromErrorInfo, toErrorInfo, type WorkflowError } from '../../core/errors/errors.ts';
import { redactJson } from '../../core/errors/redact-secrets.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../../core/ports/chat-model.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { noUsage } from '../../core/util/no-usage.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { sha256 } from '../../core/util/sha256.ts';
import { toJson } from '../../core/util/to-json.ts';
import { cassetteMiss } from './cassette-miss.ts';
import type { Tape, TapeEntry } from './tape.ts';

/** `replay`: no request is sent. `record`: every request is sent. `auto`: requests that the tape lacks are sent; refused in CI. */
export type CassetteMode = 'replay' | 'record' | 'auto';

export interface CassetteOptions {
  /** @default 'replay' */
  readonly mode?: CassetteMode;
  /** Name of the case. Equal requests of two cases have replies of their own. @default '' */
  readonly case?: string;
  /** Number of the repeat, from 0. @default 0 */
  readonly repeat?: number;
  /** Called with each miss, also when the workflow handles the error. */
  readonly onMiss?: (error: WorkflowError) => void;
  /** Called when a call fails in a way that is not recorded, such as a busy server. */
  readonly onUnrecorded?: () => void;
}

/** Wrappers of one run that record on the same part of a tape. */
export interface Cassette {
  /**
   * @param model called to record; a function creates it then.
   * @param label name of the model on the tape. @default 'main'
   */
  model(model?: ChatModel | (() => ChatModel), label?: string): ChatModel;
  tool<TTool extends Tool>(tool: TTool): TTool;
}

export interface CassetteModelOptions extends CassetteOptions {
  /** Model to record with. `replay` does not need it. */
  readonly model?: ChatModel | (() => ChatModel);
}

/**
 * Wraps a model so that its replies are recorded on a tape and replayed from it. The key of a reply is the case, the repeat, the task and
 * the SHA-256 of the request; equal requests get their replies in order. Secrets are removed from requests and replies first, also from the
 * reply that the workflow receives, so that a recorded and a replayed run are equal.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for `auto` when the environment variable `CI` is set, or without a model to record with. Its
 * `generate` throws `CASSETTE_MISS` with the first message that differs.
 * @example
 * const tape = createTape();
 * const model = cassetteModel(tape, { model: openaiModel({ model: 'gpt-5-mini' }), mode: 'record' });
 */
export const cassetteModel = (tape: Tape, { model, ...options }: CassetteModelOptions = {}): ChatModel =>
  openCassette(tape, options).model(model);

/** Opens the part of a tape that one run uses. */
export function openCassette(tape: Tape, options: CassetteOptions = {}): Cassette {
  const { mode = 'replay' } = options;
  if (mode === 'auto' && isCi()) {
    throw optionInvalid('The mode "auto" is refused because CI is set.', 'Record on your machine, and commit the cassette.', 'mode');
  }
  const play = player(tape, mode, options);
  return {
    model(given, label = 'main') {
      if (mode !== 'replay' && !given) throw optionInvalid(`The mode "${mode}" needs a model.`, 'Pass the model to record with.', 'model');
      const real = mode === 'replay' ? undefined : typeof given === 'function' ? given() : given;
      const traits = real ? traitsOf(real) : (tape.models.get(label) ?? { name: 'cassette' });
      if (real) tape.models.set(label, traits);
      return {
        ...traits,
        async generate(request) {
          request.signal?.throwIfAborted();
          const entry = await play(canonicalRequest(request), real && (() => ask(real, request)));
          if (entry.error) throw fromErrorInfo(entry.error);
          return replay(entry, request);
        },
      };
    },
    tool(tool) {
      if (tool.workflow) {
        throw optionInvalid(`"${tool.name}" is a workflow, which makes its calls itself.`, 'Wrap the tools of that workflow instead.');
      }
      return {
        ...tool,
        async execute(args, context) {
          const text = canonicalJson(redactJson(args));
          const request = { task: `tool ${tool.name}`, messages: [text], texts: [text], settings: {} };
          const { reply = null, error } = await play(request, () =>
            settle(async () => toJson(await tool.execute(args, context), 'output')),
          );
          if (!error) return reply;
          throw error.code === 'UNKNOWN' ? new Error(error.message) : fromErrorInfo(error);
        },
      };
    },
  };
}

/** Returns the recorded entry of a request, or records one with the outcome of `call`. */
type Play = (request: CanonicalRequest, call: (() => Promise<Recorded>) | undefined) => Promise<TapeEntry>;

function player(tape: Tape, mode: CassetteMode, options: CassetteOptions): Play {
  const { case: name = '', repeat = 0, onMiss, onUnrecorded } = options;
  const all = tape.cases.get(name) ?? [];
  const recorded = mode === 'record' ? [] : all.filter((entry) => entry.repeat === repeat);
  const others = all.filter((entry) => entry.repeat !== repeat);
  if (mode === 'record') tape.cases.set(name, others);
  /** In the order of the requests; a request under way has a gap. */
  const entries: (TapeEntry | undefined)[] = [...recorded];
  const uses = new Map<string, number>();
  return async (request, call) => {
    const { task, texts } = request;
    const key = await keyOf(request);
    const equal = recorded.filter((entry) => entry.task === task && entry.request === key.request);
    const use = uses.get(`${task} ${key.request}`) ?? 0;
    uses.set(`${task} ${key.request}`, use + 1);
    const known = equal[use];
    if (known) return known;
    if (mode === 'replay' || !call) {
      const miss = cassetteMiss({ case: name, repeat, task, ...key, texts, recorded, uses: equal.length, tape });
      onMiss?.(miss);
      throw miss;
    }
    const place = entries.push(undefined) - 1;
    const outcome = await call().catch((thrown: unknown) => {
      onUnrecorded?.();
      throw thrown;
    });
    const entry: TapeEntry = { repeat, task, ...key, ...outcome };
    entries[place] = entry;
    for (const [index, hash] of key.messages.entries()) tape.messages.set(hash, shorten(texts[index] ?? '', longestMessage));
    tape.cases.set(name, [...others, ...entries.filter((one) => one !== undefined)]);
    return entry;
  };
}

type Recorded = Pick<TapeEntry, 'reply' | 'pieces' | 'error'>;

/** A request without secrets and without callbacks. */
interface CanonicalRequest {
  readonly task: string;
  /** JSON of each message. */
  readonly messages: readonly string[];
  /** Each message in readable form. */
  readonly texts: readonly string[];
  /** JSON of each other field. */
  readonly settings: Readonly<Record<string, string>>;
}

const longestMessage = 4_000;
const hashLength = 16;

function canonicalRequest({ signal: _s, onToken: _t, onReasoning: _r, task, messages, ...settings }: ChatRequest): CanonicalRequest {
  const clean = (value: unknown): string => canonicalJson(redactJson(toJson(value, 'request')));
  return {
    task,
    messages: messages.map(clean),
    texts: messages.map(readable),
    settings: Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, clean(value)]]))),
  };
}

/** Files are left out; the hash of the message has them. */
function readable(message: ChatRequest['messages'][number]): string {
  const { role, content, ...rest } = redactJson(message);
  const calls =
    'toolCalls' in rest && rest.toolCalls ? ` ${rest.toolCalls.map((call) => `${call.name}(${call.arguments})`).join(' ')}` : '';
  return `${role}: ${content}${calls}`;
}

async function keyOf({ task, messages, settings }: CanonicalRequest): Promise<Pick<TapeEntry, 'request' | 'messages' | 'settings'>> {
  const short = async (text: string): Promise<string> => (await sha256(text)).slice(0, hashLength);
  const hashes: [string, string][] = [];
  for (const [name, value] of Object.entries(settings)) hashes.push([name, await short(value)]);
  return {
    request: await sha256(canonicalJson({ task, messages, settings })),
    messages: await Promise.all(messages.map(short)),
    settings: Object.fromEntries(hashes),
  };
}

const traitsOf = (model: ChatModel): Pick<ChatModel, 'name' | 'maxOutputTokens'> => ({
  name: model.name,
  ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: model.maxOutputTokens }),
});

/** Errors that the same request meets again. Others, such as a busy server or a wrong key, are not recorded. */
const lastingErrors = [
  'MODEL_TRUNCATED',
  'MODEL_REFUSED',
  'MODEL_EMPTY',
  'MODEL_INPUT_UNSUPPORTED',
  'MODEL_CONTEXT_FULL',
  'CONTEXT_TOO_SMALL',
] as const;

/** Calls the model. Its tokens are held back until the secrets are removed. */
async function ask(model: ChatModel, { signal, onToken: _t, onReasoning: _r, ...request }: ChatRequest): Promise<Recorded> {
  const pieces: string[] = [];
  try {
    const given = await model.generate({ ...request, ...(signal ? { signal } : {}), onToken: (text) => pieces.push(text) });
    const reply = withoutSecrets(given);
    const isCut = pieces.length > 1 && pieces.join('') === reply.text;
    return { reply: toJson(reply, 'reply'), ...(isCut ? { pieces: pieces.map(({ length }) => length) } : {}) };
  } catch (thrown) {
    if (hasCode(thrown, ...lastingErrors)) return { error: toErrorInfo(thrown) };
    throw thrown;
  }
}

/** `metadata` changes with every request, so it is left out. */
function withoutSecrets({ metadata: _, ...reply }: ChatReply): ChatReply {
  const clean = redactJson(reply);
  return { ...clean, toolCalls: reply.toolCalls.map((call) => ({ ...call, arguments: cleanArguments(call.arguments) })) };
}

/** Removes secrets inside the JSON, so that it stays JSON. */
function cleanArguments(text: string): string {
  const value = parseJson(text);
  if (value === undefined) return redactJson(text);
  const clean = redactJson(value);
  return canonicalJson(clean) === canonicalJson(value) ? text : JSON.stringify(clean);
}

async function settle(call: () => Promise<Json>): Promise<Recorded> {
  try {
    return { reply: redactJson(await call()) };
  } catch (thrown) {
    const error: ErrorInfo = toErrorInfo(thrown);
    if (error.retryable || hasCode(thrown, 'CALL_IN_DOUBT') || (thrown instanceof Error && thrown.name === 'AbortError')) throw thrown;
    return { error };
  }
}

function replay({ reply, pieces }: TapeEntry, { onToken, onReasoning }: ChatRequest): ChatReply {
  const { text = '', reasoning, toolCalls = [], ...rest } = (reply ?? {}) as JsonObject & Partial<ChatReply>;
  if (reasoning) onReasoning?.(reasoning);
  let at = 0;
  for (const length of pieces ?? [text.length]) {
    if (length > 0) onToken?.(text.slice(at, at + length));
    at += length;
  }
  const { usage = noUsage, model = 'cassette', cached = false } = rest;
  return { ...rest, text, ...(reasoning === undefined ? {} : { reasoning }), toolCalls, usage, model, cached };
}

function isCi(): boolean {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } };
  const value = process?.env?.CI;
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}
