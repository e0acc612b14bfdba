import { entries } from '../../machines/index.ts';
import { createRuntime } from '../index.ts';
import { describeChange } from '../server/mcp/index.ts';
import { serveMcpStdio } from '../server/mcp/node/index.ts';
import { openStore } from './database.ts';
import { type CommonFlags, toSettings } from './flags.ts';
import { createOpenResources } from './open-resources.ts';
import { openServers } from './remote-tools.ts';
import type { Settings } from './settings.ts';
import { escapeControls, print } from './terminal.ts';
import { withConfigFile } from './with-config-file.ts';
import { createWorkflow } from './workflows.ts';

/** Serves the workflows as MCP tools on standard input and output, until the client leaves. Standard output carries only the protocol. */
export async function serveMcp(flags: CommonFlags & Settings): Promise<void> {
  const opened = createOpenResources();
  try {
    const store = await openStore(flags.db, opened);
    const served = [];
    for (const workflow of entries) {
      const settings = await withConfigFile(toSettings(flags), workflow);
      if (workflow.missing?.(settings) !== undefined) continue; // for example, no contract was given
      const made = await createWorkflow(workflow, settings, opened);
      served.push({ id: made.id, workflow: made, title: workflow.name, description: workflow.description });
    }
    const runtime = createRuntime({ store, workflows: served.map(({ workflow }) => workflow) });
    opened.add(() => runtime.close());
    await serveMcpStdio({ runtime, workflows: served });
  } finally {
    await opened.close();
  }
}

/** Accepts the current tools of an MCP server, all or only the named ones, and shows the changes. */
export async function acceptTools(server: string, names: readonly string[], flags: CommonFlags): Promise<void> {
  const opened = createOpenResources();
  try {
    for (const tools of await openServers({ ...toSettings(flags), mcp: [server] }, opened)) {
      const changes = tools.changes.filter(({ tool }) => names.length === 0 || names.includes(tool));
      await tools.accept(names.length === 0 ? undefined : names);
      for (const change of changes) {
        print(
          flags.json
            ? JSON.stringify(change)
            : [`Accepted ${change.tool}:`, ...describeChange(change).map((line) => `  ${escapeControls(line)}`)].join('\n'),
        );
      }
      if (changes.length === 0 && !flags.json) print('Nothing has changed.');
    }
  } finally {
    await opened.close();
  }
}
