// The registry: each line is a workflow of this package, and the order is the one in lists.
import { chatAgentEntry } from './chat-agent/entry.ts';
import { contractAgentEntry } from './contract-agent/entry.ts';
import type { WorkflowEntry } from './entry.ts';
import { guideAgentEntry } from './guide-agent/entry.ts';
import { planExecuteEntry } from './plan-execute/entry.ts';
import { toolAgentEntry } from './tool-agent/entry.ts';

export type {
  CommonOptions,
  EntryPromises,
  EntrySource,
  LoadedEntry,
  ToolGroup,
  WorkflowEntry,
  WorkflowKit,
  WorkflowSettings,
} from './entry.ts';

/** The shipped workflows. */
export const entries: readonly WorkflowEntry[] = [toolAgentEntry, planExecuteEntry, contractAgentEntry, chatAgentEntry, guideAgentEntry];
