import { fromPromise, type MachineContext, type PromiseActorLogic } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Attempt, NodeIo } from '../../core/ports/node-io.ts';
import type { TextGuard } from '../../core/ports/text-guard.ts';
import { isObject } from '../../core/util/is-object.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import { toJson } from '../../core/util/to-json.ts';
import { mutationOf } from './definition-error.ts';
import type { StateChecks } from './state-checks.ts';

/** One unit of work: reads the state and returns a patch. An error takes the node's error edge. Never mutates. */
export type NodeHandler<TState> = (state: Readonly<TState>, io: NodeIo) => Promise<Partial<TState>>;

/** A node's handler as XState actor logic. */
export type NodeLogic<TState> = PromiseActorLogic<Partial<TState>, TState>;

interface HandlerMarks {
  /** The original handler, before any metadata was attached. */
  readonly made?: object;
  /** Maximum JSON size of its patch, in bytes. */
  readonly maxOutputBytes?: number;
  /** The workflow inside it; its structure decides how the journal is replayed. */
  readonly workflow?: InnerWorkflow;
  /** Guards of its workflow. A runtime knows them; a plain `createActor` finds them here. */
  readonly guards?: readonly TextGuard[];
  /** Parses its patch with the state's schema. */
  readonly readPatch?: StateChecks['readPatch'];
}

interface InnerWorkflow {
  readonly structureHash: string;
  offer?(input: Json): JsonObject;
}

const marks = new WeakMap<object, HandlerMarks>();
const none: HandlerMarks = {};

export const marksOf = (handler: object): HandlerMarks => marks.get(handler) ?? none;

/** Marks a handler as running another workflow. */
export function markSubWorkflow<THandler extends object>(handler: THandler, workflow: InnerWorkflow): THandler {
  marks.set(handler, { workflow });
  return handler;
}

/** Structure hash of the workflow inside a handler. */
export const subStructureOf = (handler: object): string | undefined => marksOf(handler).workflow?.structureHash;

/** Returns a copy of the handler with more metadata, because one handler may be a node of several workflows. */
export function withMarks<TState>(handler: NodeHandler<TState>, more: HandlerMarks): NodeHandler<TState> {
  const marked: NodeHandler<TState> = (state, io) => handler(state, io);
  marks.set(marked, { made: handler, ...marksOf(handler), ...more });
  return marked;
}

const handlers = new WeakMap<object, NodeHandler<MachineContext>>();

/** The handler that `nodeLogic` put into an actor logic; `undefined` for logic that is not a node. */
export function handlerOf(logic: unknown): NodeHandler<MachineContext> | undefined {
  return typeof logic === 'object' && logic !== null ? handlers.get(logic) : undefined;
}

/** Wraps a handler as XState logic. Under a plain `createActor` it runs without a journal: `io.step` runs its work each time. */
export function nodeLogic<TState extends MachineContext>(handler: NodeHandler<TState>): NodeLogic<TState> {
  // the same object, because its limits are found by identity; a machine's nodes only receive the state of that machine
  const untyped = handler as unknown as NodeHandler<MachineContext>;
  const logic = fromPromise<Partial<TState>, TState>(async ({ input, signal, self, emit }) => {
    const { guards } = marksOf(untyped);
    const io: NodeIo = {
      signal,
      ...(guards ? { guards } : {}),
      key: self.id,
      emit,
      step: (key, work) => {
        const value = (async () => work(liveAttempt(`${self.sessionId}/${key}`, signal)))();
        value.catch(() => {}); // an unhandled rejection of a step without await would end the process
        return value;
      },
    };
    try {
      return patchOf(untyped, await untyped(input, io), input) as Partial<TState>;
    } catch (thrown) {
      throw mutationOf(thrown, `The node "${self.id}"`) ?? thrown;
    }
  });
  handlers.set(logic, untyped);
  return logic;
}

/** Converts a handler's result to a patch. @throws {WorkflowError} as `toPatch`, and `PATCH_INVALID`. */
export function patchOf(handler: object, returned: unknown, state: MachineContext): JsonObject {
  const { maxOutputBytes, readPatch } = marksOf(handler);
  const patch = toPatch(returned, state, maxOutputBytes);
  return readPatch ? readPatch(patch, state) : patch;
}

const liveAttempt = (idempotencyKey: string, signal: AbortSignal): Attempt => ({ number: 1, idempotencyKey, signal });

/**
 * Checks a patch: plain JSON without keys that the state lacks.
 * @throws {WorkflowError} `STATE_KEY_UNKNOWN`, `VALUE_NOT_JSON`, `OUTPUT_TOO_LARGE`.
 */
export function toPatch(value: unknown, state: MachineContext, maxBytes: number = defaultMaxOutputBytes): JsonObject {
  const patch: Json = toJson(value ?? {}, 'patch', maxBytes);
  if (!isObject(patch)) {
    throw new WorkflowError({
      code: 'VALUE_NOT_JSON',
      message: 'A node returned a value that is not an object.',
      hint: 'Return the keys of the state that change, or {}.',
    });
  }
  const known: object = state ?? {}; // undefined when a node has an `input` of its own
  for (const key in patch) {
    if (!Object.hasOwn(known, key)) {
      throw new WorkflowError({
        code: 'STATE_KEY_UNKNOWN',
        message: `The state has no key "${key}". Its keys are ${Object.keys(known).join(', ')}.`,
        hint: "Give the key an initial value in the machine's context, or correct its name.",
        data: { key },
      });
    }
  }
  return patch;
}
