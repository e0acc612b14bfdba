import type { Json } from '../../../core/ports/json.ts';
import { limitFiles } from '../../../core/tool-facts/tool-content.ts';
import { isObject } from '../../../core/util/is-object.ts';
import type { HistoryEntry, RunInfo } from '../../../engine/run/runtime.ts';
import type { ProtocolEvent } from '../protocol-event.ts';

/** Events of a run for an encoder, from its journal alone. A run at work has no last event. */
export function recordedEvents({ result }: Pick<RunInfo, 'result'>, entries: readonly HistoryEntry[]): readonly ProtocolEvent[] {
  const outputs = new Map<string, Json>();
  for (const { kind, key, outcome } of entries) {
    const output = kind === 'step' && isObject(outcome) ? outcome.output : undefined;
    // a call's outcome wraps its output
    if (isObject(output) && 'output' in output) outputs.set(key, limitFiles(output.output as Json, 0));
  }
  const events = entries.flatMap((entry) => entry.events);
  const told = events.map((event): ProtocolEvent => {
    const output = event.type === 'tool-end' && !event.error ? outputs.get(`${event.node}/${event.callId}`) : undefined;
    return output === undefined ? event : { ...event, output };
  });
  const last = told.at(-1);
  if (last?.type === 'run-end') {
    const end = last.status === result?.status && 'output' in result ? { ...last, output: result.output } : last;
    return [...told.slice(0, -1), end];
  }
  return result ? [...told, { type: 'rest', seq: last?.seq ?? 0, at: last?.at ?? 0, result }] : told;
}
