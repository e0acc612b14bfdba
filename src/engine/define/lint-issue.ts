/** Defects that lint finds before a machine runs; described in `docs/reference/lint.md`. */
export type LintCode =
  | 'STATE_INVALID'
  | 'NAME_RESERVED'
  | 'ID_TWICE'
  | 'MISSING_FALLBACK_EDGE'
  | 'MISSING_ERROR_EDGE'
  | 'SELF_EDGE_WITHOUT_REENTER'
  | 'EDGE_WITHOUT_TARGET'
  | 'UNREACHABLE_EDGE'
  | 'UNREACHABLE_STATE'
  | 'NO_PATH_TO_FINAL'
  | 'WAITING_WITHOUT_EVENTS'
  | 'WAITING_WITH_NODE'
  | 'WAITING_WITH_STATES'
  | 'EVENTS_WITHOUT_WAITING'
  | 'AMBIGUOUS_WAIT'
  | 'ALWAYS_LOOP'
  | 'PATCH_DROPPED'
  | 'INPUT_MISSING'
  | 'FINAL_WITH_WORK'
  | 'FAILURE_NOT_TAGGED'
  | 'DELAY_INVALID'
  | 'GUARD_UNKNOWN'
  | 'STATE_KIT_MIXED'
  | 'UNSUPPORTED_EFFECT';

export interface LintIssue {
  readonly code: LintCode;
  /** Path of the state; `''` is the machine itself. */
  readonly state: string;
  readonly message: string;
}

/** Records an issue. */
export type Report = (code: LintCode, state: string, message: string) => void;
