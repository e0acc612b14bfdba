import type { McpDeclaration, McpToolsOptions } from '../server/mcp/index.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

type About = Pick<McpToolsOptions, 'headers' | 'declare' | 'effect' | 'capabilities'>;

/** Command-line settings of an MCP server: its headers, and the capabilities and effects of its tools. */
export interface AboutServers {
  (name: string, isAddress: boolean): About;
  /** @throws {UsageError} for settings of an unknown server. */
  checkUsed(): void;
}

interface ServerSetting<TValue> {
  readonly flag: string;
  /** Absent: applies to the only server. */
  readonly server?: string;
  readonly value: TValue;
}

/** @throws {UsageError} for invalid settings. Messages never contain a header's value, which may be a key. */
export function aboutServers({ mcp = [], mcpHeader = [], mcpDeclare = [] }: Settings): AboutServers {
  const headers = mcpHeader.map(readHeader);
  const declarations = mcpDeclare.map(readDeclaration);
  if (mcp.length > 1 && headers.some(({ server }) => server === undefined))
    throw new UsageError("--mcp-header names no server, and there are several. Write 'NAME=header: value'.");
  const used = new Set<object>();
  const of = <TValue>(settings: readonly ServerSetting<TValue>[], name: string): readonly TValue[] =>
    settings.flatMap((one) => {
      if (one.server !== undefined && one.server !== name) return [];
      used.add(one);
      return [one.value];
    });
  const about = (name: string, isAddress: boolean): About => {
    const own = of(headers, name);
    if (own.length > 0 && !isAddress) throw new UsageError(`The MCP server "${name}" is a command and accepts no headers.`);
    const declared = of(declarations, name);
    const tools = declared.flatMap(({ tool, declaration }) => (tool === undefined ? [] : [[tool, declaration] as const]));
    const whole = declared.filter(({ tool }) => tool === undefined).map(({ declaration }) => declaration);
    return {
      ...(own.length === 0 ? {} : { headers: Object.fromEntries(own) }),
      ...(tools.length === 0 ? {} : { declare: Object.fromEntries(tools) }),
      ...Object.assign({}, ...whole),
    };
  };
  const checkUsed = (): void => {
    const left = [...headers, ...declarations].find((one) => !used.has(one));
    if (left) throw new UsageError(`${left.flag} names the MCP server "${left.server}", which --mcp does not define.`);
  };
  return Object.assign(about, { checkUsed });
}

function readHeader(text: string): ServerSetting<readonly [name: string, value: string]> {
  const [, server, name, value] = /^(?:([a-zA-Z0-9_-]{1,32})=)?([!#$%&'*+.^_`|~\w-]+)\s*:\s*([^\r\n]*)$/.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined) throw new UsageError("--mcp-header is not a header. Write '[NAME=]header: value'.");
  return { flag: '--mcp-header', ...(server === undefined ? {} : { server }), value: [name, value] };
}

const touches = ['private', 'untrusted', 'external'] as const;
const effects = ['pure', 'idempotent', 'once'] as const;

function readDeclaration(
  text: string,
): ServerSetting<{ readonly tool?: string; readonly declaration: McpDeclaration }> & { readonly server: string } {
  const [, server, tool, list = ''] = /^([a-zA-Z0-9_-]{1,32})(?:\.([^=]{1,128}))?=([a-z,]+)$/.exec(text) ?? [];
  const words = list.split(',');
  const known: readonly string[] = [...touches, ...effects, 'none'];
  if (server === undefined || words.some((word) => !known.includes(word)))
    throw new UsageError(`--mcp-declare ${JSON.stringify(text)} is not NAME[.TOOL]=WORDS with words of ${known.join(', ')}.`);
  const effect = effects.filter((word) => words.includes(word));
  const touched = touches.filter((word) => words.includes(word));
  if (effect.length > 1 || (words.includes('none') && touched.length > 0))
    throw new UsageError(`--mcp-declare ${JSON.stringify(text)} has words that contradict each other.`);
  const saysCapabilities = touched.length > 0 || words.includes('none');
  const capabilities = { private: false, untrusted: false, external: false, ...Object.fromEntries(touched.map((word) => [word, true])) };
  const declaration = { ...(effect[0] ? { effect: effect[0] } : {}), ...(saysCapabilities ? { capabilities } : {}) };
  return { flag: '--mcp-declare', server, value: { ...(tool === undefined ? {} : { tool }), declaration } };
}
