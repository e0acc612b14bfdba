import { WorkflowError } from '../../core/errors/errors.ts';
import { redactJson } from '../../core/errors/redact-secrets.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Json } from '../../core/ports/json.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import { guardsAt, guardValueNow } from '../../core/util/apply-guards.ts';
import { jsonBytes } from '../../core/util/json-bytes.ts';
import { toJson } from '../../core/util/to-json.ts';

/** Progress of a call while it runs. */
export interface Progress {
  /** Sends data of the tool without secrets, at most ten times a second. What is sent faster, or after the end, is dropped. */
  emit(data: Json): void;
  end(): void;
}

const pauseMs = 100;
const maxBytes = 8_192;

/** Reports the progress of a call as live-only events: `custom` with the name `tool-progress` and `{ callId, tool, data }`. */
export function callProgress(
  { callId, tool }: { readonly callId: string; readonly tool: string },
  io: Pick<NodeIo, 'emit' | 'guards'>,
  clock: Pick<Clock, 'monotonic'>,
): Progress {
  let last = Number.NEGATIVE_INFINITY;
  return {
    emit(data) {
      const checked = toJson(data, 'the progress');
      const bytes = jsonBytes(checked);
      if (bytes > maxBytes) throw tooLarge(tool, bytes);
      const allowed = guarded(checked, tool, io);
      if (allowed === undefined) return;
      const now = clock.monotonic();
      if (now - last < pauseMs) return;
      last = now;
      io.emit({ type: 'custom', name: 'tool-progress', data: { callId, tool, data: redactJson(allowed) } });
    },
    end() {
      last = Number.POSITIVE_INFINITY;
    },
  };
}

const { signal } = new AbortController();

/** Progress cannot wait for a guard. Without a verdict at once, or with one against it, it is not shown. */
function guarded(data: Json, tool: string, { guards }: Pick<NodeIo, 'guards'>): Json | undefined {
  try {
    return guardValueNow(guardsAt(guards, 'tool-result'), data, { border: 'tool-result', signal, tool }, () => {});
  } catch {
    return undefined;
  }
}

const tooLarge = (tool: string, bytes: number): WorkflowError =>
  new WorkflowError({
    code: 'OUTPUT_TOO_LARGE',
    message: `The progress of "${tool}" has ${bytes} bytes, more than the limit of ${maxBytes}.`,
    hint: 'Send a summary. The output of the call can be larger.',
    data: { tool, bytes, maxBytes },
  });
