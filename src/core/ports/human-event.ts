import type { Json } from './json.ts';

/** A human's event: its type, and the fields that the workflow declares for it. */
export interface HumanEvent {
  readonly type: string;
  readonly [key: string]: Json;
}
