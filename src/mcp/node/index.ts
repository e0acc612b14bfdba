export { pinFile } from './pin-file.ts';
export { type McpStdioServerSdk, type ServeMcpStdioOptions, serveMcpStdio } from './serve-mcp-stdio.ts';
export { type McpStdioSdk, type StdioServerOptions, stdioServer } from './stdio-server.ts';
