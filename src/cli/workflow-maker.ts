import { type AnyWorkflow, canonicalJson, type JsonObject, type RunRecord } from '../index.ts';
import type { Opened } from './opened.ts';
import { type Settings, withRemembered } from './settings.ts';
import { type CliWorkflow, workflowOfRun } from './workflows.ts';

/** Settings that nobody has asked for lately are forgotten when there are so many. */
const maxKept = 64;

export interface WorkflowMaker {
  /** A workflow with settings; one for all who ask for the same. */
  make(workflow: CliWorkflow, settings: Settings): Promise<AnyWorkflow>;
  /** The workflow of a stored run, with the settings that it was started with. */
  ofRun(run: RunRecord & { readonly metadata?: JsonObject }): Promise<AnyWorkflow>;
}

/** Makes workflows for as long as the process lives. */
export function createWorkflowMaker(settings: Settings, opened: Opened): WorkflowMaker {
  const made = new Map<string, Promise<AnyWorkflow>>();
  const make = (workflow: CliWorkflow, own: Settings): Promise<AnyWorkflow> => {
    const key = `${workflow.name} ${canonicalJson({ ...own })}`;
    const known = made.get(key) ?? workflow.load().then(({ create }) => create(own, opened));
    made.delete(key);
    made.set(key, known);
    known.catch(() => made.delete(key)); // a document that is missing now may be there later
    const [oldest] = made.keys();
    if (made.size > maxKept && oldest !== undefined) made.delete(oldest);
    return known;
  };
  return {
    make,
    ofRun: ({ workflow, metadata }) => make(workflowOfRun(workflow), withRemembered(metadata, settings)),
  };
}
