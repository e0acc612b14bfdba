import type { WorkflowEntry } from '../../machines/index.ts';
import { type AnyWorkflow, canonicalJson, type JsonObject, type RunRecord } from '../index.ts';
import type { OpenResources } from './open-resources.ts';
import { type Settings, withRemembered } from './settings.ts';
import { createWorkflow, workflowOfRun } from './workflows.ts';

/** Maximum number of cached settings; the least recently used are dropped. */
const maxKept = 64;

export interface WorkflowMaker {
  /** Returns a workflow with these settings; equal settings share one instance. */
  make(workflow: WorkflowEntry, settings: Settings): Promise<AnyWorkflow>;
  /** Workflow of a stored run, with its original settings. */
  ofRun(run: RunRecord & { readonly metadata?: JsonObject }): Promise<AnyWorkflow>;
}

/** Creates and caches workflows for the lifetime of the process. */
export function createWorkflowMaker(settings: Settings, opened: OpenResources): WorkflowMaker {
  const made = new Map<string, Promise<AnyWorkflow>>();
  const make = (workflow: WorkflowEntry, own: Settings): Promise<AnyWorkflow> => {
    const key = `${workflow.name} ${canonicalJson({ ...own })}`;
    const known = made.get(key) ?? createWorkflow(workflow, own, opened);
    made.delete(key);
    made.set(key, known);
    known.catch(() => made.delete(key)); // a missing document may exist later
    const [oldest] = made.keys();
    if (made.size > maxKept && oldest !== undefined) made.delete(oldest);
    return known;
  };
  return {
    make,
    ofRun: ({ workflow, metadata }) => make(workflowOfRun(workflow), withRemembered(metadata, settings)),
  };
}
