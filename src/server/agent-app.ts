import type { ChatModel } from '../ports/chat-model.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { Tool } from '../ports/tool.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';
import type { ServerSpace } from './served-space.ts';
import type { ServedWorkflow } from './served-workflow.ts';

/** What a module of one's own has served: the default export for `agent-machines serve --app`. */
export interface AgentApp extends Partial<Pick<ServerSpace, 'documents' | 'memories'>> {
  /** At least one. */
  readonly workflows: readonly (AnyWorkflow | ServedWorkflow)[];
  /** The tools of the workflows, to be shown. Default: none are. */
  readonly tools?: readonly Tool[];
  /** What answers, to be shown. Default: what the workflows say. */
  readonly model?: Pick<ChatModel, 'name'>;
  /** Where runs live; that of the first load is kept for as long as the process lives. Default: the file of `--db`. */
  readonly store?: RunStore;
}

/**
 * Gives a module's default export its type.
 *
 * @example export default defineApp({ workflows: [greeting], tools: [calculator()] });
 */
export const defineApp = (app: AgentApp): AgentApp => app;
