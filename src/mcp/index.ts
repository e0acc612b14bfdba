export type { RefusedName } from './listed-tool.ts';
export type { McpClientSdk, McpErrorMessage, McpRequestOptions, McpSdkClient, McpTransport } from './mcp-sdk.ts';
export { type McpDeclaration, type McpProgress, type McpTools, type McpToolsOptions, mcpTools } from './mcp-tools.ts';
export type { McpServerAddress } from './mcp-transports.ts';
export { toRemoteName } from './remote-name.ts';
export { describeChange, type McpPin, type McpPins, type McpToolChange, memoryPins } from './tool-pins.ts';
