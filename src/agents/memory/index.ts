export type {
  LongTermMemory,
  MemoryExport,
  MemoryHit,
  MemoryKind,
  MemoryOptions,
  MemoryRecord,
  MemorySearchOptions,
  NewMemory,
} from '../../core/ports/long-term-memory.ts';
export type { Summarizer, SummaryRequest } from '../../core/ports/summarizer.ts';
export { boundMessageTokens, boundTokens } from '../../models/tokens/bound-tokens.ts';
export { cutAllToTokens, cutToTokens } from '../../models/tokens/cut-to-tokens.ts';
export { estimateMessageTokens, estimateTokens } from '../../models/tokens/estimate-tokens.ts';
export { checkContext, fitRequest, frameTokens, requestTokens } from '../../models/tokens/fit-request.ts';
export { addCallTurn, type CallTurn, type CallTurnWindow } from './add-call-turn.ts';
export { addTurn, type ConversationMessage, type TurnWindow } from './add-turn.ts';
export { type AppliedSummary, applySummary, type SummaryToApply } from './apply-summary.ts';
export { createLongTermMemory, type LongTermMemoryOptions, memoryKinds } from './long-term-memory.ts';
export { planWindow, type SummarizePlan, type WindowPlan } from './plan-window.ts';
export { type Recalled, type RecallRequest, recall } from './recall.ts';
export { recallTokens } from './recall-tokens.ts';
export { renderSummaries } from './render-summaries.ts';
export { type SlideOptions, slideWindow, type WindowStep } from './slide-window.ts';
export { extractFacts, type StatedFact } from './stated-facts.ts';
export { type ExtractOptions, extractiveSummarizer, summarizeExtractively } from './summarize-extractively.ts';
export { exportSummaries, importSummaries } from './summary-codec.ts';
export { addToTranscript, type TranscriptMessage, type TranscriptSettings } from './transcript.ts';
export type { WindowMessage } from './window-message.ts';
export { emptyWindow, type WindowSettings, type WindowState, type WindowSummary } from './window-state.ts';
export { type WindowTokens, windowTokens } from './window-tokens.ts';
