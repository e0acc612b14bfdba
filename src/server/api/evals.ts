import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import type { RunStatus } from '../../core/ports/run-store.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';

/** Evals whose reports the server shows. */
export interface EvalList {
  /** False if the server shows no evals. */
  readonly available: boolean;
  /** Newest first. */
  readonly evals: readonly EvalSummary[];
  /** Files without a readable report. */
  readonly refused: readonly RefusedReport[];
  /** Number of older files that are not read. Absent: none. */
  readonly older?: number;
}

/** A file that is not shown, with its error. */
export interface RefusedReport extends Pick<ErrorInfo, 'code' | 'message' | 'hint'> {
  readonly file: string;
}

/** An eval in a list. */
export interface EvalSummary {
  /** Id of the eval in URLs: its name, or a fingerprint of a name that a URL cannot hold. */
  readonly id: string;
  readonly name: string;
  /** Workflow of the newest report. */
  readonly workflow: string;
  /** Number of cases of the newest report. */
  readonly cases: number;
  /** Number of its reports. */
  readonly versions: number;
  /** True if each grader of the newest report reaches its threshold. */
  readonly ok: boolean;
  /** Time of the newest file, in milliseconds since 1970. */
  readonly updatedAt: number;
}

export interface EvalDetails extends EvalSummary {
  /** Oldest first. */
  readonly reports: readonly EvalVersion[];
}

/** Report of one version of a workflow. */
export interface EvalVersion {
  /** Unique among the reports of the eval. */
  readonly id: string;
  /** Git ref, model or file name of the version. */
  readonly label: string;
  readonly file: string;
  /** Time of the file, in milliseconds since 1970. */
  readonly addedAt: number;
  readonly workflow: string;
  readonly version: string;
  readonly model?: string;
  readonly ok: boolean;
  readonly graders: readonly EvalGrader[];
  readonly runs: readonly EvalRun[];
  /** The machine. Absent in reports of earlier releases. */
  readonly graph?: MachineGraph;
  /** Verdicts of the comparison in the same file, by grader. */
  readonly compared?: {
    /** Id of the report that it was compared with. */
    readonly with: string;
    readonly verdicts: Readonly<Record<string, string>>;
  };
}

/** Result of a grader over all runs. */
export interface EvalGrader {
  readonly name: string;
  /** Mean score, from 0 to 1. */
  readonly mean: number;
  readonly threshold: number;
  readonly ok: boolean;
}

/** One run of a case. */
export interface EvalRun {
  readonly case: string;
  /** Number of the repeat, from 0. */
  readonly repeat: number;
  readonly status: RunStatus;
  readonly finalState?: string;
  readonly output?: Json;
  /** Edges taken, each `from -> to`. */
  readonly path: readonly string[];
  /** The same edges with their events and guards. Absent in reports of earlier releases. */
  readonly moves?: readonly { readonly from: string; readonly to: string; readonly on: string; readonly guard?: string }[];
  readonly calls: readonly { readonly tool: string; readonly args: Json; readonly error?: string }[];
  readonly modelCalls: number;
  readonly usage: TokenUsage;
  readonly costUsd?: number;
  /** 0 if the report was written without `--timings`. */
  readonly durationMs: number;
  readonly error?: Pick<ErrorInfo, 'code' | 'message' | 'hint'>;
  /** Score and reason by grader. */
  readonly scores: Readonly<Record<string, { readonly score: number; readonly why?: string }>>;
}
