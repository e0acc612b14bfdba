import { WorkflowError } from '../../core/errors/errors.ts';
import type { RunRecord } from '../../core/ports/run-store.ts';
import { assertId } from '../../core/util/ids.ts';
import type { AnyWorkflow, EventOf, InputOf, OutputOf } from '../define/define-workflow.ts';
import { runUnknown } from '../store/store-errors.ts';
import type { RunInfo, Runtime, WorkflowRuns } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** The runs of one workflow. Its other methods reject the run of another workflow before they read an event or write. */
export function workflowRuns<W extends AnyWorkflow>(
  core: RuntimeCore,
  runtime: Runtime,
  workflow: W,
): WorkflowRuns<InputOf<W>, OutputOf<W>, EventOf<W>> {
  core.workflows.add(workflow, core.makesWorkflows);
  const assertOwn = (run: RunRecord): void => {
    if (run.workflow !== workflow.id) throw runOfOtherWorkflow(run.id, run.workflow, workflow.id);
  };
  const own = async (runId: string): Promise<string> => {
    assertId(runId, 'run');
    const record = await core.store.read(runId);
    if (!record) throw runUnknown(runId);
    assertOwn(record);
    return runId;
  };
  return {
    start: (input, options) => runtime.start(workflow, input, options),
    send: async (runId, event, options) => runtime.send<OutputOf<W>, EventOf<W>>(await own(runId), event, options),
    resume: async (runId, options) => runtime.resume<OutputOf<W>, EventOf<W>>(await own(runId), options),
    retry: async (runId, options) => runtime.retry<OutputOf<W>, EventOf<W>>(await own(runId), options),
    async get(runId) {
      const info = await runtime.get(runId);
      assertOwn(info);
      return info as RunInfo<OutputOf<W>>;
    },
    list: (query) => runtime.list({ ...query, workflow: workflow.id }),
  };
}

const runOfOtherWorkflow = (runId: string, actual: string, workflow: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_UNKNOWN',
    message: `The run ${runId} belongs to the workflow "${actual}", not to "${workflow}".`,
    hint: `Call runtime.of() with the workflow "${actual}", or the method of the runtime itself.`,
    data: { runId, workflow: actual },
  });
