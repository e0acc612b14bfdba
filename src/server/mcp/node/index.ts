export { pinFile } from '../../../tools/mcp/node/pin-file.ts';
export { type McpStdioSdk, type StdioServerOptions, stdioServer } from '../../../tools/mcp/node/stdio-server.ts';
export { type McpStdioServerSdk, type ServeMcpStdioOptions, serveMcpStdio } from './serve-mcp-stdio.ts';
