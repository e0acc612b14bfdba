// Researches the web, and hands in a report with its sources: a cheap model reads, and the run ends with the report.
import type { ChatModel } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { calledTool, defineTool, stepsAtMost } from 'agent-machines/tools';
import { z } from 'zod';

const report = z.strictObject({ summary: z.string().min(1), sources: z.array(z.url()).min(1) });
const page = { name: 'open', description: 'Text of a page.', access: 'search', input: z.strictObject({ url: z.url() }) } as const;

/** @param fetchText such as `async (url) => (await createGuardedFetch()(url)).text`, of `agent-machines/tools/node`. */
export const researcher = (cheap: ChatModel, strong: ChatModel, fetchText: (url: string) => Promise<string>) => {
  const open = defineTool({ ...page, execute: ({ url }) => fetchText(url) });
  const submit = defineTool({ name: 'submit', description: 'Hands in.', access: 'compute', input: report, execute: async (done) => done });
  return toolAgent({
    model: cheap,
    tools: [open, submit],
    output: report,
    instructions: 'You research. Open pages, then submit a report with the addresses that you have read.',
    prepareStep: ({ steps }) => (steps < 3 ? undefined : { model: strong, activeTools: ['submit'], toolChoice: 'required' }),
    stopWhen: [calledTool('submit'), stepsAtMost(6)],
  });
};
