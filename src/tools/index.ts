export { describeDatetime } from '../util/local-datetime.ts';
export { calculator } from './calculator.ts';
export { defineTool, type ToolDefinition } from './define-tool.ts';
export { type GetCurrentDatetimeOptions, getCurrentDatetime } from './get-current-datetime.ts';
export { grantTools } from './grant-tools.ts';
export { type CheckedCall, checkToolCall, parseToolCall } from './parse-tool-call.ts';
export { type PythonReplOptions, pythonRepl } from './python-repl.ts';
export { type SearchDocumentsOptions, searchDocuments } from './search-documents.ts';
export { type SummarizeOptions, summarize } from './summarize.ts';
