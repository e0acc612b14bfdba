import type { AiSdkLanguageModel } from 'agent-machines/models';
import { installedFile, installFolder } from './install-folder.ts';

/** The part of `ai/test` that the tests use. */
interface AiTest {
  readonly MockLanguageModelV4: new (options: object) => AiSdkLanguageModel & { readonly doStreamCalls: { readonly prompt: unknown }[] };
  readonly simulateReadableStream?: unknown;
}

/** The part of `@ai-sdk/openai-compatible` that the tests use. */
interface OpenaiCompatible {
  createOpenAICompatible(options: object): (modelId: string) => AiSdkLanguageModel;
}

/** The AI SDK's packages, installed when they are not there. */
export async function importAiSdk(): Promise<AiTest & OpenaiCompatible> {
  installFolder('ai-sdk');
  const test = (await import(installedFile('ai-sdk', 'ai/dist/test/index.js').href)) as AiTest;
  const compatible = (await import(installedFile('ai-sdk', '@ai-sdk/openai-compatible/dist/index.js').href)) as OpenaiCompatible;
  return { ...test, ...compatible };
}
