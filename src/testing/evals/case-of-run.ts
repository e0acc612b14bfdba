import { redactJson } from '../../core/errors/redact-secrets.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json } from '../../core/ports/json.ts';
import { asObject } from '../../core/util/as-object.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { holdsPersonalData } from '../../core/util/personal-data.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { HistoryEntry, RunInfo } from '../../engine/run/runtime.ts';
import type { EvalCase } from './eval-case.ts';

/** A case made of a stored run, or the reason why there is none. */
export type CaseOfRun =
  | { readonly one: EvalCase<Json, Json>; readonly hasPersonalData: boolean }
  | { readonly skipped: 'it has not ended' | 'it failed' | 'it continues a conversation' | 'the workflow no longer accepts its input' };

export interface CaseOfRunOptions {
  /** Details of the run, from `runtime.get`. */
  readonly info: RunInfo;
  /** Entries of the run, from `runtime.history`. */
  readonly history: readonly HistoryEntry[];
  /** Converts the output to `expected`. Default: the whole output. */
  readonly toExpected?: (output: Json) => unknown;
}

/**
 * Makes a case of a stored run: its input, the answers of humans in order, its output as `expected`, and the edges that it took. Secrets are
 * removed. A run is skipped if it has not ended in a final state, or if it continues a conversation, which a case cannot.
 */
export function caseOfRun(workflow: AnyWorkflow, { info, history, toExpected = (output) => output }: CaseOfRunOptions): CaseOfRun {
  const { id, result, threadRevision = 0 } = info;
  if (!result || result.status === 'waiting' || result.status === 'paused' || result.status === 'in_doubt')
    return { skipped: 'it has not ended' };
  if (threadRevision > 0) return { skipped: 'it continues a conversation' };
  if (!('finalState' in result)) return { skipped: 'it failed' };
  const input = inputOf(workflow, info.input);
  if (input === undefined) return { skipped: 'the workflow no longer accepts its input' };
  const answers = history.flatMap(({ kind, outcome }) => (kind === 'event' ? eventsOf(outcome) : []));
  const path = history
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === 'edge' && event.node === undefined ? [`${event.from} -> ${event.to}`] : []));
  const one: EvalCase<Json, Json> = redactJson({
    name: `run ${id}`,
    input,
    expected: toJson(toExpected(result.output), 'expected'),
    ...(answers.length === 0 ? {} : { answers }),
    path,
    ...(result.status === 'failed' ? { finalState: result.finalState } : {}),
  });
  return { one, hasPersonalData: holdsPersonalData(toJson({ ...one, name: '', path: [] }, 'case')) };
}

/** More members would make too many subsets. */
const mostMembers = 10;

/**
 * Returns the input that a caller gives for a stored one, which may have more: the fewest members that the workflow stores the same way.
 * If there are none, because a setting has changed, the most that it accepts.
 */
function inputOf(workflow: AnyWorkflow, stored: Json): Json | undefined {
  const storedOf = (input: Json): string | undefined => {
    try {
      return canonicalJson(workflow.parseInput(input));
    } catch {
      return undefined; // not an input
    }
  };
  const members = isObject(stored) ? Object.entries(asObject(stored)) : [];
  if (!isObject(stored) || members.length > mostMembers) return storedOf(stored) === undefined ? undefined : stored;
  const subsets = Array.from({ length: 2 ** members.length }, (_, bits) => members.filter((_member, at) => (bits >> at) % 2 === 1))
    .sort((a, b) => a.length - b.length)
    .map((kept): Json => Object.fromEntries(kept));
  const wanted = canonicalJson(stored);
  return subsets.find((subset) => storedOf(subset) === wanted) ?? subsets.findLast((subset) => storedOf(subset) !== undefined);
}

function eventsOf(outcome: Json): readonly HumanEvent[] {
  const { event } = asObject(outcome);
  return isEvent(event) ? [event] : [];
}

const isEvent = (value: unknown): value is HumanEvent => isObject(value) && typeof value.type === 'string';
