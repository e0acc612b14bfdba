import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Tool, ToolContext } from '../../core/ports/tool.ts';
import { quotedNames, shownNames } from '../../core/util/shown-list.ts';
import { listRemoteTools } from './list-remote-tools.ts';
import { type ListedTool, localNameOf, noArguments, type RefusedName, readListedTools } from './listed-tool.ts';
import { type LiveConnection, McpConnection, unavailable } from './mcp-connection.ts';
import type { McpClientSdk } from './mcp-sdk.ts';
import type { McpTools, McpToolsOptions } from './mcp-tools.ts';
import type { McpServerAddress } from './mcp-transports.ts';
import { callRemote, SessionExpiredError } from './remote-call.ts';
import { toLocalName } from './remote-name.ts';
import { describeChange, type McpPin, type McpToolChange, samePin } from './tool-pins.ts';
import { visibleText } from './visible-text.ts';

type DefaultedOption = 'name' | 'pins' | 'connectTimeoutMs' | 'timeoutMs' | 'totalMs' | 'maxMessageBytes';

export interface RemoteToolsOptions
  extends Omit<McpToolsOptions, DefaultedOption | 'sdk' | 'server'>,
    Required<Pick<McpToolsOptions, DefaultedOption>> {
  readonly sdk: () => Promise<McpClientSdk>;
  readonly server: McpServerAddress;
}

/** Maximum number of consecutive reads of the list while the server keeps reporting changes. */
const maxRefreshes = 3;

/** The tools of one server, in their accepted and current forms. */
export class RemoteTools implements McpTools {
  readonly #options: RemoteToolsOptions;
  readonly #connection: McpConnection;
  /** Each tool is created once, so that its holder sees later changes. */
  readonly #tools = new Map<string, Tool>();
  #listed = new Map<string, ListedTool>();
  #refused: readonly RefusedName[] = [];
  #pins: Readonly<Record<string, McpPin>> | undefined;
  #serverInfo = { name: '', version: '' };
  /** True when the server has reported a changed list. */
  #isStale = false;
  #refreshing: Promise<void> | undefined;

  constructor(options: RemoteToolsOptions) {
    this.#options = options;
    this.#connection = new McpConnection({
      ...options,
      onConnected: (live) => this.#read(live),
      onListChanged: (live) => {
        this.#isStale = true;
        void this.#refreshList(live).catch(() => {}); // the next tool call reports the error
      },
    });
  }

  get tools(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  get refused(): readonly RefusedName[] {
    return this.#refused;
  }

  get serverInfo(): { readonly name: string; readonly version: string } {
    return this.#serverInfo;
  }

  get changes(): readonly McpToolChange[] {
    return [...this.#listed.values()].flatMap((listed) => this.#changeOf(listed) ?? []);
  }

  get hints(): McpTools['hints'] {
    return Object.fromEntries([...this.#listed.values()].map((listed) => [localNameOf(this.#options.name, listed), listed.hints]));
  }

  async connect(): Promise<void> {
    await this.#connection.live();
  }

  async refresh(): Promise<void> {
    await this.#refreshList(await this.#connection.live());
  }

  async accept(names?: readonly string[]): Promise<void> {
    const accepted = this.changes.filter(({ tool }) => names === undefined || names.includes(tool));
    const byName = new Map([...this.#listed.values()].map((listed) => [localNameOf(this.#options.name, listed), listed.remote]));
    const unknown = names?.filter((name) => !byName.has(name)) ?? [];
    if (unknown.length > 0) throw unknownTools(unknown, [...byName.keys()]);
    const pins = { ...this.#pins };
    for (const { tool, after } of accepted) setOwn(pins, byName.get(tool) ?? '', after);
    this.#pins = pins;
    await this.#options.pins.save(this.#options.server.address, pins);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Reads the list, and again if it changes meanwhile. Concurrent callers share one read. */
  #refreshList(live: LiveConnection): Promise<void> {
    this.#refreshing ??= (async () => {
      try {
        for (let round = 0; round === 0 || (this.#isStale && round < maxRefreshes); round++) await this.#read(live);
      } finally {
        this.#refreshing = undefined;
      }
    })();
    return this.#refreshing;
  }

  async #read(live: LiveConnection): Promise<void> {
    const { name, only, pins, server, connectTimeoutMs, onChange } = this.#options;
    this.#isStale = false;
    const items = await listRemoteTools(live, { timeout: connectTimeoutMs, maxTotalTimeout: connectTimeoutMs }, server);
    const { tools, refused } = readListedTools(name, items);
    const wanted = tools.filter(({ remote }) => !only || only.includes(remote));
    const before = new Set(this.changes.map(({ tool }) => tool));
    this.#pins ??= await pins.load(server.address);
    if (!this.#pins) {
      const first: Record<string, McpPin> = {};
      for (const { remote, pin } of tools) if (pin) setOwn(first, remote, pin);
      await pins.save(server.address, first);
      this.#pins = first;
    }
    this.#listed = new Map(wanted.map((listed) => [listed.remote, listed]));
    this.#refused = refused;
    this.#serverInfo = { ...live.serverInfo };
    for (const { remote } of wanted) if (!this.#tools.has(remote)) this.#tools.set(remote, this.#makeTool(remote));
    const changes = this.changes;
    if (changes.some(({ tool }) => !before.has(tool))) onChange?.(changes);
  }

  #pinOf(remote: string): McpPin | undefined {
    return this.#pins && Object.hasOwn(this.#pins, remote) ? this.#pins[remote] : undefined;
  }

  #changeOf({ remote, pin: after }: ListedTool): McpToolChange | undefined {
    const before = this.#pinOf(remote);
    if (!after || (before && samePin(before, after))) return undefined;
    return { tool: toLocalName(this.#options.name, remote), before, after };
  }

  #refusalOf(remote: string): WorkflowError | undefined {
    const listed = this.#listed.get(remote);
    const tool = toLocalName(this.#options.name, remote);
    if (!listed) return refusal(tool, 'its server no longer lists it');
    if (listed.refusal !== undefined) return refusal(tool, listed.refusal);
    const change = this.#changeOf(listed);
    return change && changed(change);
  }

  #makeTool(remote: string): Tool {
    const { effect, capabilities, risk, needsApproval, maxOutputBytes, maxFileBytes, primaryInput, declare, totalMs } = this.#options;
    const common: Record<string, unknown> = { effect, capabilities, risk, needsApproval, maxOutputBytes, maxFileBytes, primaryInput };
    const declarations = Object.entries({ ...common, ...(declare && Object.hasOwn(declare, remote) ? declare[remote] : {}) });
    const declared: Partial<Tool> = Object.fromEntries(declarations.filter(([, value]) => value !== undefined));
    const once = declared.effect !== 'pure' && declared.effect !== 'idempotent';
    // a model sees the accepted version until the tool changes
    const pinOf = (): McpPin | undefined => this.#pinOf(remote);
    const refusalOf = (): WorkflowError | undefined => this.#refusalOf(remote);
    return {
      maxAttempts: once ? 1 : 2,
      ...declared,
      name: toLocalName(this.#options.name, remote),
      timeoutMs: totalMs,
      get description() {
        return pinOf()?.description ?? '';
      },
      get inputSchema() {
        return pinOf()?.inputSchema ?? noArguments;
      },
      get unavailable() {
        return refusalOf()?.message;
      },
      execute: (args, context) => this.#call(remote, once, args, context),
    };
  }

  async #call(remote: string, once: boolean, args: JsonObject, { signal }: ToolContext): Promise<Json> {
    const { name, server, timeoutMs, totalMs, onProgress } = this.#options;
    const tool = toLocalName(name, remote);
    const options = {
      signal,
      timeout: timeoutMs,
      maxTotalTimeout: totalMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, total, message }: Omit<Parameters<NonNullable<typeof onProgress>>[0], 'tool'>) =>
        onProgress?.({
          tool,
          progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message: visibleText(message) }),
        }),
    };
    for (let attempt = 1; ; attempt++) {
      const live = await this.#connection.live(signal);
      if (this.#isStale) await this.#refreshList(live);
      const refused = this.#refusalOf(remote);
      if (refused) throw refused;
      try {
        return await callRemote(live, { server, tool, remote, args, once, options });
      } catch (error) {
        if (!(error instanceof SessionExpiredError)) throw error;
        await this.#connection.drop();
        if (attempt > 1) throw unavailable(server, 'it rejects the session that it has just started', { cause: error });
      }
    }
  }
}

/** Defines the property itself: a server may name a tool `__proto__`. */
function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

const refusal = (tool: string, why: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_UNAVAILABLE',
    message: `The tool "${tool}" is unavailable: ${why}.`,
    hint: 'Continue without it.',
    data: { tool },
  });

/** `changes` has the longer ones. */
const maxDiffLines = 200;

function changed(change: McpToolChange): WorkflowError {
  const { tool, before, after } = change;
  const parts = before
    ? [...(before.description === after.description ? [] : ['description']), ...(sameSchema(before, after) ? [] : ['schema'])]
    : [];
  const what = before
    ? `its ${parts.join(' and its ')} ${parts.length > 1 ? 'differ' : 'differs'} from the accepted version`
    : 'it is new and not accepted';
  return new WorkflowError({
    code: 'MCP_TOOL_CHANGED',
    message: `The tool "${tool}" is disabled: ${what}.`,
    hint: 'Review the change, then accept it with `agent-machines mcp accept` or `accept()` of mcpTools.',
    data: { tool, diff: describeChange(change).slice(0, maxDiffLines) },
  });
}

const sameSchema = (a: McpPin, b: McpPin): boolean => samePin({ ...a, description: '' }, { ...b, description: '' });

const unknownTools = (names: readonly string[], known: readonly string[]): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_UNKNOWN',
    message: `The server has no tool ${quotedNames(names)}.`,
    hint: `It has ${shownNames(known)}.`,
  });
