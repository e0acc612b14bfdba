export { pinFile } from './pin-file.ts';
export { type McpStdioSdk, type StdioServerOptions, stdioServer } from './stdio-server.ts';
