import { runUnknown } from '../../engine/store/store-errors.ts';

/** Turn of a run that an id of a response names. */
export interface ResponseId {
  readonly runId: string;
  /** Sequence number of the last event before the response. */
  readonly after: number;
  /** Id of the question that the response has repeated. */
  readonly repeatedInterrupt?: string;
}

export const toResponseId = ({ runId, after, repeatedInterrupt }: ResponseId): string =>
  `resp_${runId}_${after}${repeatedInterrupt === undefined ? '' : `_${repeatedInterrupt}`}`;

/** @throws {WorkflowError} `RUN_UNKNOWN` for a text that is not the id of a response. */
export function parseResponseId(id: string): ResponseId {
  const [, runId, after, repeatedInterrupt] = /^resp_([A-Za-z0-9_-]{1,64})_(\d{1,9})(?:_(i_[0-9a-f]{16}))?$/.exec(id) ?? [];
  if (runId === undefined || after === undefined) throw runUnknown(id.slice(0, 100));
  return { runId, after: Number(after), ...(repeatedInterrupt === undefined ? {} : { repeatedInterrupt }) };
}
