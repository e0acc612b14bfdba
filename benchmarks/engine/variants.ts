import { handWrittenLoop } from './hand-written-loop.ts';
import { langGraph, langGraphOnMemory } from './langgraph.ts';
import { liveActor } from './live-actor.ts';
import { runtimeOnMemory, runtimeOnSqlite, runtimeOnXState } from './our-runtime.ts';
import type { Variant } from './variant.ts';

export const variants = {
  'hand-written loop': handWrittenLoop,
  'live XState actor': liveActor,
  'runtime, memory store': runtimeOnMemory,
  'runtime, memory store, on XState': runtimeOnXState,
  'runtime, SQLite file': runtimeOnSqlite,
  'LangGraph.js': langGraph,
  'LangGraph.js, MemorySaver': langGraphOnMemory,
} as const satisfies Readonly<Record<string, Variant>>;

export type VariantName = keyof typeof variants;

export const variantNames: readonly VariantName[] = Object.keys(variants) as VariantName[];
