import type { ChatModel } from '../core/ports/chat-model.ts';
import type { ModelBudget } from '../core/ports/model-budget.ts';
import type { RunStore } from '../core/ports/run-store.ts';
import type { Tool } from '../core/ports/tool.ts';
import type { PriceTable } from '../core/util/model-cost.ts';
import type { AnyWorkflow } from '../engine/define/define-workflow.ts';
import type { ServerSpace } from './http/served-space.ts';
import type { ServedWorkflow } from './http/served-workflow.ts';

/** The app that `agent-machines serve --app` serves: the default export of your module. */
export interface AgentApp extends Partial<Pick<ServerSpace, 'documents' | 'evals' | 'memories'>> {
  /** Workflows to serve, at least one. Of several versions of a workflow, new runs take the newest, and runs of the others finish in theirs. */
  readonly workflows: readonly (AnyWorkflow | ServedWorkflow)[];
  /** Version of the app, which `agent-machines workers` shows. Default: none. */
  readonly version?: string;
  /** The workflows' tools, for display only. Default: no tools are shown. */
  readonly tools?: readonly Tool[];
  /** The model, for display only. Default: the models that the workflows name. */
  readonly model?: Pick<ChatModel, 'name'>;
  /** Store of the runs. The store of the first load is kept until the process ends. Default: the file of `--db`. */
  readonly store?: RunStore;
  /** Prices of models, for the cost in /metrics. Default: no cost is counted. */
  readonly prices?: PriceTable;
  /** Makes the budget of the model calls, for the store in use. `modelBudget` of `agent-machines/stores` does. Default: none. */
  readonly budget?: (store: RunStore) => ModelBudget;
}

/**
 * Types a module's default export.
 *
 * @example export default defineApp({ workflows: [greeting], tools: [calculator()] });
 */
export const defineApp = (app: AgentApp): AgentApp => app;
