import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json } from '../../core/ports/json.ts';
import type { RunResult } from '../../engine/drive/run.ts';
import type { ForkOptions, Resolution, ResumeOptions, StartOptions } from '../../engine/run/runtime.ts';

/** Identified by its id, so that a driven run hears a command once, and none that was already carried out. */
interface IdentifiedCommand {
  readonly id: string;
}
interface CancelCommand extends IdentifiedCommand {
  readonly type: 'cancel';
}
interface SendCommand extends IdentifiedCommand {
  readonly type: 'send';
  readonly event: HumanEvent;
  readonly interruptId: string;
  readonly acceptChanges?: boolean;
}

/** Command that a run hears while it is driven. */
export type LiveCommand = CancelCommand | SendCommand;

/** Command to a run. */
export type RunCommand =
  | { readonly type: 'start'; readonly workflow: string; readonly input: Json; readonly options: Omit<StartOptions, 'runId'> }
  | { readonly type: 'fork'; readonly of: string; readonly options: Omit<ForkOptions, 'runId'> }
  | SendCommand
  | { readonly type: 'resolve'; readonly callId: string; readonly resolution: Resolution }
  | CancelCommand
  | { readonly type: 'resume'; readonly options: ResumeOptions }
  /** The timer has expired. Ignored if it was set again since. */
  | { readonly type: 'wake'; readonly at: number }
  /** The run is the next one in its thread. */
  | { readonly type: 'next' };

/** Result of a command. A rejection is a value, because Restate would retry after a thrown error. */
export type CommandOutcome = { readonly result: RestResult } | { readonly refused: ErrorInfo };

/** Removed runs, and the id of the removal. */
export type Removal = { readonly removed: readonly string[]; readonly id?: string } | { readonly refused: ErrorInfo };

/** Result of a run that was suspended or ended; `queued` while another run owns its thread. */
export type RestResult = RunResult<Json> | { readonly status: 'queued' };
