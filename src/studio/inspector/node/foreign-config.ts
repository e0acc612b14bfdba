import type { Json, JsonObject } from '../../../core/ports/json.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { inlineName } from '../../../engine/define/graph.ts';

/** Maximum depth of states. A definition is untrusted and may be nested without end. */
const deepest = 50;

/** Maximum number of edges of a machine that an inspector follows. */
const maxIterations = 200;

/** Names that JavaScript gives to functions which are written in place. */
const inferredNames: ReadonlySet<string> = new Set(['', 'guard', 'actions', 'entry', 'exit', 'src', 'anonymous']);

const types: ReadonlySet<Json> = new Set(['atomic', 'compound', 'parallel', 'final', 'history']);

/**
 * Converts the definition that an app sends to a config of XState that contains only data: guards, actions and actors are names. Accepts a
 * machine's config and the JSON of a machine, in which functions are `{ type }`. The JSON of a machine has no eventless transitions.
 *
 * @param guardNames Receives the guards, in order. The config then has their numbers instead of names, and no actions.
 * @throws {RangeError} for states that are nested too deeply.
 */
export function foreignConfig(definition: JsonObject, guardNames?: string[]): JsonObject {
  return { ...stateOf(definition, guardNames, 0), options: { maxIterations } };
}

type GuardNames = string[] | undefined;

function stateOf(node: JsonObject, guardNames: GuardNames, depth: number): JsonObject {
  if (depth > deepest) throw new RangeError(`States are nested more than ${deepest} levels deep.`);
  const { id, version, type, description, tags, history, initial, states, on, after, always, onDone, invoke, entry, exit, target } = node;
  const edges = (value: Json | undefined): readonly Json[] => listOf(value).map((edge) => edgeOf(edge, guardNames));
  const edgesBy = (value: Json | undefined): JsonObject =>
    Object.fromEntries((isObject(value) ? Object.entries(value) : []).map(([key, value]) => [key, oneOrList(edges(value))]));
  const isHistory = type === 'history' || (history !== undefined && history !== false);
  const invoked = listOf(invoke).map((one) => invocationOf(one, edges));
  const first = initialOf(initial);
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(isHistory
      ? { type: 'history', history: history === 'deep' ? 'deep' : 'shallow', ...(target === undefined ? {} : { target }) }
      : {}),
    ...(!isHistory && type !== undefined && types.has(type) ? { type } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(tags === undefined ? {} : { tags: listOf(tags).filter((tag) => typeof tag === 'string') }),
    ...(first === undefined ? {} : { initial: first }),
    ...(guardNames ? {} : { ...filled('entry', listOf(entry).map(nameOf)), ...filled('exit', listOf(exit).map(nameOf)) }),
    ...filled('invoke', invoked),
    ...(on === undefined ? {} : { on: edgesBy(on) }),
    ...(after === undefined ? {} : { after: edgesBy(after) }),
    ...filled('always', edges(always)),
    ...filled('onDone', edges(onDone)),
    ...(isObject(states) && Object.keys(states).length > 0
      ? {
          states: Object.fromEntries(
            Object.entries(states).map(([key, state]) => [
              key,
              withoutId(stateOf(isObject(state) ? state : {}, guardNames, depth + 1), id),
            ]),
          ),
        }
      : {}),
  };
}

/** Removes the id that XState gives to a state itself, since its keys follow from the place. */
function withoutId(state: JsonObject, parentId: Json | undefined): JsonObject {
  if (typeof parentId !== 'string' || typeof state.id !== 'string' || !state.id.startsWith(`${parentId}.`)) return state;
  const { id: _, ...rest } = state;
  return rest;
}

/** Returns the key of the initial state: `a`, `{ target: 'a' }` or, in the JSON of a machine, `{ target: ['#m.a'] }`. */
function initialOf(initial: Json | undefined): string | undefined {
  const [target] = listOf(isObject(initial) ? initial.target : initial);
  if (typeof target !== 'string') return undefined;
  return target.startsWith('#') ? target.split('.').at(-1) : target;
}

function edgeOf(edge: Json, guardNames: GuardNames): Json {
  if (!isObject(edge)) return edge;
  const { target, guard, actions, reenter, description } = edge;
  const targets = listOf(target);
  return {
    ...(targets.length === 0 ? {} : { target: oneOrList(targets) }),
    ...(guard === undefined || guard === null ? {} : { guard: numbered(nameOf(guard), guardNames) }),
    ...(guardNames ? {} : filled('actions', listOf(actions).map(nameOf))),
    ...(reenter === true ? { reenter } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

/** Returns the number of a guard instead of its name, if numbers are wanted. */
function numbered(name: string, guardNames: GuardNames): string {
  return guardNames ? String(guardNames.push(name) - 1) : name;
}

function invocationOf(invoked: Json, edges: (value: Json | undefined) => readonly Json[]): JsonObject {
  if (!isObject(invoked)) return { src: nameOf(invoked) };
  const { id, src, onDone, onError, onSnapshot } = invoked;
  return {
    ...(typeof id === 'string' ? { id } : {}),
    src: sourceName(src ?? id ?? ''),
    ...filled('onDone', edges(onDone)),
    ...filled('onError', edges(onError)),
    ...filled('onSnapshot', edges(onSnapshot)),
  };
}

/** Name of an actor logic. A machine has one in its config; XState names other logic by the place of its invocation. */
function sourceName(src: Json): string {
  const { config } = isObject(src) ? src : {};
  if (isObject(config)) return typeof config.id === 'string' ? config.id : nameOf(config);
  const name = nameOf(src);
  return name.startsWith('xstate.invoke.') ? inlineName : name;
}

function nameOf(part: Json): string {
  const name = isObject(part) ? part.type : part;
  return typeof name === 'string' && !inferredNames.has(name) ? name : inlineName;
}

const listOf = (value: Json | undefined): readonly Json[] => {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value as Json];
};

const filled = (key: string, values: readonly Json[]): JsonObject => (values.length > 0 ? { [key]: oneOrList(values) } : {});

const oneOrList = (values: readonly Json[]): Json => (values.length === 1 ? (values[0] ?? null) : values);
