import { redactKnown } from '../core/errors/redact-secrets.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import { overlap } from '../core/util/overlap.ts';

/**
 * Wraps a model so that its replies never repeat its keys. Keys become `[key]` in text, reasoning, tool arguments and tokens. A token is
 * held back while it may be the beginning of a key.
 */
export function withoutKeys(model: ChatModel, configured: readonly string[]): ChatModel {
  const keys = configured.filter(isKey);
  if (keys.length === 0) return model;
  return {
    ...model,
    async generate(request): Promise<ChatReply> {
      const { onToken, onReasoning } = request;
      const [text, thought] = [onToken && keyStream(keys, onToken), onReasoning && keyStream(keys, onReasoning)];
      const asked: ChatRequest = {
        ...request,
        ...(text && {
          onToken: (piece): void => {
            thought?.end();
            text.add(piece);
          },
        }),
        ...(thought && { onReasoning: thought.add }),
      };
      const reply = await model.generate(asked);
      thought?.end();
      text?.end();
      return withoutKeysIn(reply, keys);
    },
  };
}

/** Placeholders such as `none` and `lm-studio`, which local servers accept as a key, are words. */
const isKey = (text: string): boolean => text.length >= 8 && (/[^a-z-]/.test(text) || text.length >= 20 || text.startsWith('sk-'));

function withoutKeysIn(reply: ChatReply, keys: readonly string[]): ChatReply {
  const json = JSON.stringify(reply);
  const written = keys.map((key) => JSON.stringify(key).slice(1, -1));
  return written.some((key) => json.includes(key)) ? (JSON.parse(redactKnown(json, written)) as ChatReply) : reply;
}

function keyStream(keys: readonly string[], push: (text: string) => void): { add(text: string): void; end(): void } {
  let held = '';
  const pass = (length: number): void => {
    const text = held.slice(0, length);
    held = held.slice(length);
    if (text !== '') push(text);
  };
  return {
    add(text) {
      held = redactKnown(held + text, keys);
      pass(held.length - Math.max(...keys.map((key) => overlap(held, key))));
    },
    end: () => pass(held.length),
  };
}
