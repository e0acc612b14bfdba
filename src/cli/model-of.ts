import type { ChatModel } from '../index.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** The model of the settings; `undefined`: no key and no server, so the workflow's own rules answer. */
export async function modelOf({ model, baseUrl }: Settings, env: NodeJS.ProcessEnv = process.env): Promise<ChatModel | undefined> {
  const key = env.OPENAI_API_KEY;
  const server = baseUrl ?? env.OPENAI_BASE_URL;
  if (!key && !server) {
    if (model === undefined) return undefined;
    throw new UsageError(`--model ${model} needs OPENAI_API_KEY, or --base-url of a compatible server.`);
  }
  const { openaiModel } = await import('../models/openai/openai-model.ts'); // here: it takes longer to load than all the rest
  return openaiModel({
    model: model ?? env.OPENAI_MODEL ?? 'gpt-5-mini',
    apiKey: key || 'none', // a local server asks for none, the client for some
    ...(server ? { baseURL: server } : {}),
  });
}
