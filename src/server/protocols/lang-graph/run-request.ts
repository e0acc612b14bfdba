import { z } from 'zod';
import { WorkflowError } from '../../../core/errors/errors.ts';
import type { Json } from '../../../core/ports/json.ts';
import { asJson } from '../../../core/util/as-json.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { inputOf } from '../message-input.ts';
import type { ProtocolWorkflow } from '../protocol-space.ts';
import { readBody, unsupported } from '../read-body.ts';
import { type LangGraphStreamMode, langGraphStreamModes } from './lang-graph-encoder.ts';
import { lastHumanText } from './lang-graph-message.ts';

const some = z.union([z.string(), z.array(z.string())]).nullish();
const anyObject = z.record(z.string(), z.unknown()).nullish();

const runRequest = z.looseObject({
  assistant_id: z.string(),
  input: z.json().optional(),
  command: z.looseObject({ resume: z.json().optional(), goto: z.unknown().optional(), update: z.unknown().optional() }).nullish(),
  config: z.looseObject({ recursion_limit: z.int().min(1).max(1_000_000).nullish(), configurable: anyObject }).nullish(),
  context: z.unknown().optional(),
  metadata: anyObject,
  stream_mode: some,
  checkpoint: z.looseObject({ checkpoint_id: z.string().nullish() }).nullish(),
  checkpoint_id: z.string().nullish(),
  multitask_strategy: z.enum(['reject', 'enqueue', 'interrupt', 'rollback']).nullish(),
  on_disconnect: z.enum(['cancel', 'continue']).nullish(),
  on_completion: z.enum(['delete', 'keep']).nullish(),
  if_not_exists: z.enum(['reject', 'create']).nullish(),
});

/** A request to create a run, as the client sends it. It may have more fields. */
export interface RunRequest {
  readonly [field: string]: unknown;
  readonly assistant_id: string;
  readonly input?: Json | undefined;
  readonly command?: { readonly resume?: Json | undefined; readonly goto?: unknown; readonly update?: unknown } | null | undefined;
  readonly config?: RunConfig | null | undefined;
  readonly stream_mode?: string | readonly string[] | null | undefined;
  readonly checkpoint?: { readonly checkpoint_id?: string | null | undefined } | null | undefined;
  readonly checkpoint_id?: string | null | undefined;
  readonly multitask_strategy?: 'reject' | 'enqueue' | 'interrupt' | 'rollback' | null | undefined;
  readonly on_disconnect?: 'cancel' | 'continue' | null | undefined;
  readonly on_completion?: 'delete' | 'keep' | null | undefined;
  readonly if_not_exists?: 'reject' | 'create' | null | undefined;
}

interface RunConfig {
  readonly recursion_limit?: number | null | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | null | undefined;
}

/** @throws {WorkflowError} `INPUT_INVALID`. */
export const readRunRequest = (request: Request): Promise<RunRequest> => readBody(request, runRequest);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Fields that would change the run, and that no run here has. */
const refused: readonly (readonly [field: string, hint: string])[] = [
  ['interrupt_before', 'A workflow asks in states of its own.'],
  ['interrupt_after', 'A workflow asks in states of its own.'],
  ['webhook', 'Follow the run with its stream.'],
  ['after_seconds', 'Start the run later.'],
  ['feedback_keys', 'Remove it.'],
  ['context', 'A workflow has its own settings.'],
  ['metadata', 'The server keeps none but graph_id and assistant_id.'],
];

/** @throws {WorkflowError} `OPTION_INVALID` for what would be ignored. */
export function assertSupported(request: RunRequest): void {
  const found = refused.find(([field]) => !isEmpty(request[field]));
  if (found) throw unsupported(...found);
  const { config, command, multitask_strategy: strategy, on_completion: onCompletion } = request;
  const { thread_id: _, ...configurable } = config?.configurable ?? {};
  if (!isEmpty(configurable)) throw unsupported('config.configurable', 'A workflow has its own settings.');
  if (!isEmpty(command?.update)) throw unsupported('command.update', 'Only the workflow changes its state.');
  if (!isEmpty(command?.goto) && !isEnd(command?.goto)) throw unsupported('command.goto', 'Answer the open question in command.resume.');
  if (strategy === 'rollback') throw unsupported('multitask_strategy "rollback"', 'Use "interrupt", which cancels the active run.');
  if (onCompletion === 'delete') throw unsupported('on_completion "delete"', 'Delete the thread when you have the answer.');
}

/** `goto: "__end__"` ends a run that asks. */
export const isEnd = (goto: unknown): boolean => (Array.isArray(goto) ? goto.length === 1 && goto[0] === '__end__' : goto === '__end__');

/**
 * Input for the workflow: the newest of `input.messages`, a text, or the workflow's own input.
 *
 * @throws {WorkflowError} `INPUT_INVALID`, `OPTION_INVALID`.
 */
export function toWorkflowInput(served: ProtocolWorkflow, input: Json | undefined): Json {
  const text = textIn(input);
  if (text !== undefined) return inputOf(served, text);
  if (input !== undefined && input !== null) return asJson(input);
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: 'The run has no input.',
    hint: 'Send { input: { messages: [{ type: "human", content: "…" }] } }, or the input of the workflow.',
  });
}

/** Text of an input that is a message; `undefined` for a workflow's own input. */
export function textIn(input: Json | undefined): string | undefined {
  if (typeof input === 'string') return input;
  if (!isObject(input) || !('messages' in input)) return undefined;
  const other = Object.keys(input).find((key) => key !== 'messages' && !isEmpty(input[key]));
  if (other !== undefined) throw unsupported(`input.${other.slice(0, 40)} beside input.messages`, 'Put it into the message.');
  return lastHumanText(input.messages);
}

/** Id of the checkpoint that the client continues from. */
export const checkpointIn = ({ checkpoint, checkpoint_id: id }: RunRequest): string | undefined =>
  checkpoint?.checkpoint_id ?? id ?? undefined;

/** @throws {WorkflowError} `OPTION_INVALID` for a mode that is not supported. */
export function parseModes(given: string | readonly string[] | null | undefined): readonly LangGraphStreamMode[] {
  const names = typeof given === 'string' ? [given] : (given ?? []);
  return names.map((name) => {
    const mode = langGraphStreamModes.find((one) => one === name);
    if (mode) return mode;
    throw unsupported(`stream_mode "${name.slice(0, 40)}"`, `Use one of ${langGraphStreamModes.join(', ')}.`);
  });
}

/** Reads `stream_mode` of a query: a repeated parameter, names with commas between them, or a JSON array of names. */
export function modesInQuery(queries: readonly string[] = []): readonly LangGraphStreamMode[] {
  const query = queries.join(',');
  if (query === '') return langGraphStreamModes;
  const names = /^[[\]\w\s",-]{1,200}$/.test(query) ? query.match(/[\w-]+/g) : [query];
  return parseModes(names ?? [query]);
}
