import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { asObject } from '../../core/util/as-object.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { migrationOf } from './migrated.ts';
import { readStart } from './start-entry.ts';

/** Offer of a workflow to a run with this input, for its `start` entry. Empty when there is nothing to compare. */
export function newOffer(workflow: AnyWorkflow, input: Json): { readonly offer?: JsonObject } {
  const offer = workflow.offer?.(input) ?? {};
  return Object.keys(offer).length === 0 ? {} : { offer };
}

/** Difference between the offer that a run has accepted and its workflow's current offer. */
export interface OfferChange {
  readonly offer: JsonObject;
  /** One clause per change: `tool "pay": effect was "once", is "pure"`. */
  readonly changes: readonly string[];
}

/** Returns the change of the offer. `undefined` when nothing has changed, or the run's version stored no offer. */
export function offerChange(workflow: AnyWorkflow, runId: string, entries: readonly JournalEntry[]): OfferChange | undefined {
  const before = storedOffer(entries);
  if (!before) return undefined;
  const { offer = {} } = newOffer(workflow, readStart(runId, entries).input);
  const changes = canonicalJson(before) === canonicalJson(offer) ? [] : differences(before, offer);
  return changes.length === 0 ? undefined : { offer, changes };
}

/** Offer that was made or accepted last. */
function storedOffer(entries: readonly JournalEntry[]): JsonObject | undefined {
  const last = entries.findLast((entry) => entry.kind === 'start' || entry.kind === 'offer' || migrationOf(entry) !== undefined);
  if (!last) return undefined;
  const { offer } = migrationOf(last) ?? (last.outcome as { readonly offer?: JsonObject });
  return offer;
}

function differences(before: JsonObject, now: JsonObject): readonly string[] {
  return [
    ...changesOf('model', before.model, now.model),
    ...toolChanges(asObject(before.tools), asObject(now.tools)),
    ...partChanges('limit', asObject(before.limits), asObject(now.limits)),
    ...partChanges('workflow of node', asObject(before.workflows), asObject(now.workflows), true),
  ];
}

const toolParts = ['effect', 'arguments', 'approval rule', 'workflow'] as const;

function toolChanges(before: JsonObject, now: JsonObject): readonly string[] {
  return namesOf(before, now).flatMap((name) => {
    const [old, made] = [before[name], now[name]];
    const tool = `tool ${JSON.stringify(name)}`;
    if (!Array.isArray(old)) return [`${tool} is new`];
    if (!Array.isArray(made)) return [`${tool} is missing`];
    return toolParts.flatMap((part, index) => {
      if (old[index] === made[index]) return [];
      return part === 'effect' ? changesOf(`${tool}: effect`, old[index], made[index]) : [`${tool}: its ${part} changed`];
    });
  });
}

const partChanges = (what: string, before: JsonObject, now: JsonObject, hashed = false): readonly string[] =>
  namesOf(before, now).flatMap((name) => {
    const parts = changesOf(`${what} ${JSON.stringify(name)}`, before[name], now[name]);
    return hashed && parts.length > 0 ? [`${what} ${JSON.stringify(name)} changed`] : parts;
  });

const changesOf = (what: string, before: Json | undefined, now: Json | undefined): readonly string[] =>
  canonicalJson(before ?? null) === canonicalJson(now ?? null) ? [] : [`${what} was ${toText(before)}, is ${toText(now)}`];

const toText = (value: Json | undefined): string => (value === undefined ? 'absent' : JSON.stringify(value));

const namesOf = (before: JsonObject, now: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();

export const offerChanged = (runId: string, workflow: string, changes: readonly string[]): WorkflowError =>
  new WorkflowError({
    code: 'OFFER_CHANGED',
    message: `The offer of "${workflow}" has changed since the run ${runId} began: ${changes.join('; ')}.`,
    hint: 'Resume it with the original workflow, or pass acceptChanges: true. The journal records accepted changes.',
    data: { runId, workflow, changes },
  });
