import type { ShapeName } from './conversations.ts';
import type { DurableStepSample } from './durable-step.ts';
import type { RunsSample } from './measure-runs.ts';
import type { KeeperName, StoredBytes } from './stored-bytes.ts';
import type { VariantName } from './variants.ts';

/** What one fresh process is asked to measure. */
export type Task =
  | { readonly measure: 'runs'; readonly variant: VariantName; readonly quick: boolean }
  | { readonly measure: 'stored-bytes'; readonly keeper: KeeperName; readonly shape: ShapeName; readonly quick: boolean }
  | { readonly measure: 'durable-step'; readonly quick: boolean };

export type Sample<TMeasure extends Task['measure']> = {
  readonly runs: RunsSample;
  readonly 'stored-bytes': StoredBytes;
  readonly 'durable-step': DurableStepSample;
}[TMeasure];
