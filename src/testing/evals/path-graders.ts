import type { Json, JsonObject } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { checkOptions, oneOf, optionInvalid } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import { type Grader, pass } from './grader.ts';
import { normalEdge } from './machine-edges.ts';
import type { Observed } from './observed.ts';

/**
 * Comparison of the path with the given edges. `exact`: these edges in this order. `in-order`: these edges in this order, with others in
 * between. `any-order`: these edges as often as given, in any order. `subset`: no edge but these. `superset`: all of these, and any others.
 */
export type TrajectoryMode = 'exact' | 'in-order' | 'any-order' | 'subset' | 'superset';

const modes: readonly TrajectoryMode[] = ['exact', 'in-order', 'any-order', 'subset', 'superset'];

/**
 * Compares the path of the run with edges of the machine, each `from -> to`. An edge that the machine does not have is refused before any
 * run. Without edges, each case gives its own `path`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a text that is not an edge, or an unknown mode.
 * @example trajectory(['agent -> tools', 'tools -> agent', 'agent -> done'])
 */
export function trajectory(given?: readonly string[], mode: TrajectoryMode = 'exact'): Grader {
  checkOptions('trajectory', { mode }, { mode: oneOf(...modes) });
  const edges = given?.map(normalEdge);
  return {
    name: `trajectory ${mode}`,
    ...(edges ? { edges } : { needs: 'path' }),
    grade({ path }, one) {
      const wanted = edges ?? (one.path ?? []).map(normalEdge);
      return pass(follows(path, wanted, mode), `it went ${path.join(', ') || 'nowhere'}`);
    },
  };
}

function follows(path: readonly string[], wanted: readonly string[], mode: TrajectoryMode): boolean {
  if (mode === 'exact') return path.join('\n') === wanted.join('\n');
  if (mode === 'any-order') return path.toSorted().join('\n') === wanted.toSorted().join('\n');
  if (mode === 'subset') return path.every((edge) => wanted.includes(edge));
  if (mode === 'superset') return wanted.every((edge) => count(path, edge) >= count(wanted, edge));
  let at = 0;
  for (const edge of path) if (edge === wanted[at]) at++;
  return at === wanted.length;
}

const count = (edges: readonly string[], edge: string): number => edges.filter((other) => other === edge).length;

/** Checks that the run never takes an edge. The machine must have it. @example never('review -> send') */
export function never(given: string): Grader {
  const edge = normalEdge(given);
  return {
    name: `never ${edge}`,
    edges: [edge],
    grade: ({ path }) => pass(!path.includes(edge), `it took ${edge}`),
  };
}

export interface CallsOptions {
  /** Arguments that a call must have to count; others are ignored. Default: none required. */
  readonly args?: JsonObject | ((args: Json) => boolean);
  /** Least number of such calls. @default 1, or 0 with a `max` */
  readonly min?: number;
  /** Largest number of such calls. Default: no limit. */
  readonly max?: number;
}

/**
 * Counts the calls of a tool.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for bounds that no number meets.
 * @example calls('refund', { args: { orderId: 'A-7' }, max: 1 })
 */
export function calls(tool: string, options: CallsOptions = {}): Grader {
  const { args, min = options.max === undefined ? 1 : 0, max = Number.MAX_SAFE_INTEGER } = options;
  checkInteger('min', min, { min: 0 });
  checkInteger('max', max, { min: 0 });
  if (max < min) throw optionInvalid(`calls("${tool}") has a min of ${min} above its max of ${max}.`, 'Swap them.');
  const upTo = max === Number.MAX_SAFE_INTEGER ? `≥ ${min}` : min === max ? `= ${min}` : min === 0 ? `≤ ${max}` : `${min} to ${max}`;
  const kind = args === undefined ? '' : typeof args === 'function' ? ' of some arguments' : ` ${JSON.stringify(args)}`;
  return {
    name: `calls ${tool}${kind} ${upTo}`,
    tools: [tool],
    grade(seen) {
      const found = seen.calls.filter((call) => call.tool === tool && hasArguments(call.args, args)).length;
      return pass(found >= min && found <= max, `it made ${found}`);
    },
  };
}

function hasArguments(given: Json, wanted: CallsOptions['args']): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === 'function') return wanted(given);
  if (!isObject(given)) return false;
  const args: JsonObject = given;
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(args, key) && canonicalJson(args[key] ?? null) === canonicalJson(value),
  );
}

/** Measures of `atMost`. */
export type Measure = 'modelCalls' | 'toolCalls' | 'inputTokens' | 'outputTokens' | 'steps' | 'costUsd' | 'durationMs';

const measures: Readonly<Record<Measure, (seen: Observed) => number | undefined>> = {
  modelCalls: ({ modelCalls }) => modelCalls,
  toolCalls: ({ toolCalls }) => toolCalls,
  inputTokens: ({ usage }) => usage.inputTokens,
  outputTokens: ({ usage }) => usage.outputTokens,
  steps: ({ path }) => path.length,
  costUsd: ({ costUsd }) => costUsd,
  durationMs: ({ durationMs }) => durationMs,
};

/**
 * Limits a measure of the run. `steps` counts the edges taken. `costUsd` needs `prices` of the eval: a cost that is unknown scores 0.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an unknown measure, or a limit that is not a number of 0 or more.
 * @example atMost('modelCalls', 3)
 */
export function atMost(measure: Measure, limit: number): Grader {
  checkOptions('atMost', { measure }, { measure: oneOf(...Object.keys(measures)) });
  if (!Number.isFinite(limit) || limit < 0) throw optionInvalid(`The limit of ${measure} is ${limit}.`, 'Pass a number of 0 or more.');
  return {
    name: `${measure} ≤ ${limit}`,
    ...(measure === 'durationMs' ? { isTiming: true } : {}),
    grade(seen) {
      const value = measures[measure](seen);
      if (value === undefined) return { score: 0, why: 'the cost is unknown: a model that answered has no price' };
      return pass(value <= limit, `${Math.round(value * 1e6) / 1e6}`);
    },
  };
}

/** Limits the cost of a run in US dollars. The eval needs `prices`. */
export const cost = (limitUsd: number): Grader => atMost('costUsd', limitUsd);

/** Limits the wall-clock time of a run. It is reported, and fails an eval only with `timings`. */
export const latency = (limitMs: number): Grader => atMost('durationMs', limitMs);
