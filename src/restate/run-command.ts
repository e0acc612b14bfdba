import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json } from '../ports/json.ts';
import type { HumanEvent } from '../runtime/host.ts';
import type { RunResult } from '../runtime/run.ts';
import type { ForkOptions, Resolution, ResumeOptions, StartOptions } from '../runtime/runtime.ts';

/** What is asked of a run. */
export type RunCommand =
  | { readonly type: 'start'; readonly workflow: string; readonly input: Json; readonly options: Omit<StartOptions, 'runId'> }
  | { readonly type: 'fork'; readonly of: string; readonly options: Omit<ForkOptions, 'runId'> }
  | { readonly type: 'send'; readonly event: HumanEvent; readonly interruptId: string }
  | { readonly type: 'resolve'; readonly callId: string; readonly resolution: Resolution }
  | { readonly type: 'cancel' }
  | { readonly type: 'resume'; readonly options: ResumeOptions }
  /** Its timer is due: nothing, if it has been set anew since. */
  | { readonly type: 'wake'; readonly at: number }
  /** It is the next one of its thread. */
  | { readonly type: 'next' };

/** Where a command has led: a refusal is a value, since Restate would try again what is thrown. */
export type CommandOutcome = { readonly result: RestResult } | { readonly refused: ErrorInfo };

/** The runs that were removed. */
export type Removal = { readonly removed: readonly string[] } | { readonly refused: ErrorInfo };

/** How a run rests; `queued` while its thread is another one's. */
export type RestResult = RunResult<Json> | { readonly status: 'queued' };
