export { calculator } from './calculator.ts';
export { defineTool, type ToolDefinition } from './define-tool.ts';
export { type GetCurrentDatetimeOptions, getCurrentDatetime } from './get-current-datetime.ts';
export { parseToolCall } from './parse-tool-call.ts';
export { type SearchDocumentsOptions, searchDocuments } from './search-documents.ts';
export { type SummarizeOptions, summarize } from './summarize.ts';
