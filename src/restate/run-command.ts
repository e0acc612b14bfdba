import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json } from '../ports/json.ts';
import type { HumanEvent } from '../runtime/host.ts';
import type { RunResult } from '../runtime/run.ts';
import type { ForkOptions, Resolution, ResumeOptions, StartOptions } from '../runtime/runtime.ts';

/** Known by its id, so that a run that is driven is told of it once, and of none that was carried out before. */
interface Told {
  readonly id: string;
}
interface CancelCommand extends Told {
  readonly type: 'cancel';
}
interface SaidCommand extends Told {
  readonly type: 'send';
  readonly event: HumanEvent;
  readonly interruptId: string;
  readonly acceptChanges?: boolean;
}

/** What a run is told while it is driven. */
export type HeardCommand = CancelCommand | SaidCommand;

/** What is asked of a run. */
export type RunCommand =
  | { readonly type: 'start'; readonly workflow: string; readonly input: Json; readonly options: Omit<StartOptions, 'runId'> }
  | { readonly type: 'fork'; readonly of: string; readonly options: Omit<ForkOptions, 'runId'> }
  | SaidCommand
  | { readonly type: 'resolve'; readonly callId: string; readonly resolution: Resolution }
  | CancelCommand
  | { readonly type: 'resume'; readonly options: ResumeOptions }
  /** Its timer is due: nothing, if it has been set anew since. */
  | { readonly type: 'wake'; readonly at: number }
  /** It is the next one of its thread. */
  | { readonly type: 'next' };

/** Where a command has led: a refusal is a value, since Restate would try again what is thrown. */
export type CommandOutcome = { readonly result: RestResult } | { readonly refused: ErrorInfo };

/** The runs that were removed, and what the removal is known by. */
export type Removal = { readonly removed: readonly string[]; readonly id?: string } | { readonly refused: ErrorInfo };

/** How a run rests; `queued` while its thread is another one's. */
export type RestResult = RunResult<Json> | { readonly status: 'queued' };
