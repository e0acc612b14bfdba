import type { Json } from '../../../core/ports/json.ts';
import type { Move } from '../run-narrator.ts';
import {
  aiChunk,
  aiMessage,
  type LangGraphMessage,
  type LangGraphMessageChunk,
  removedMessage,
  toolCall,
  toolMessage,
} from './lang-graph-message.ts';

/** Messages of one run, from the moves of its narrator. Their ids begin with that of the run, so they are unique in its thread. */
export class RunTranscript {
  #runId = '';
  readonly #messages = new Map<string, LangGraphMessage>();
  readonly #tools = new Map<string, string>();

  get messages(): readonly LangGraphMessage[] {
    return [...this.#messages.values()];
  }

  /** Applies a move. Returns the changes of the messages, in the form of the stream mode `messages-tuple`. */
  take(move: Move): readonly LangGraphMessageChunk[] {
    switch (move.type) {
      case 'run':
        this.#runId = move.runId;
        return [];
      case 'text':
        return this.#addText(move.id, move.delta);
      case 'void':
        return [...move.texts, ...move.calls.flatMap((id) => [id, resultOf(id)])].flatMap((id) => this.#remove(id));
      case 'call':
        return this.#addCall(move.id, move.tool, move.args);
      case 'call-end':
        return this.#endCall(move.id, move.output, move.error?.message);
      case 'question':
        return move.calls.filter(({ isShown }) => !isShown).flatMap(({ id, tool, args }) => this.#addCall(id, tool, args));
      case 'decided':
        return move.approved ? [] : this.#endCall(move.call.id, undefined, 'The call was not approved.');
      default:
        return [];
    }
  }

  #idOf(id: string): string {
    return `${this.#runId}/${id}`;
  }

  #addText(id: string, delta: string): readonly LangGraphMessageChunk[] {
    const key = this.#idOf(id);
    this.#messages.set(key, aiMessage(key, `${this.#messages.get(key)?.content ?? ''}${delta}`));
    return [aiChunk(key, delta)];
  }

  #addCall(id: string, tool: string, args: Json): readonly LangGraphMessageChunk[] {
    this.#tools.set(id, tool);
    return this.#put(aiMessage(this.#idOf(id), '', [toolCall(this.#idOf(id), tool, args)]));
  }

  #endCall(id: string, output: Json | undefined, error: string | undefined): readonly LangGraphMessageChunk[] {
    const name = this.#tools.get(id) ?? '';
    return this.#put(toolMessage(this.#idOf(id), { id: this.#idOf(resultOf(id)), name, output, error }));
  }

  #put(message: LangGraphMessage): readonly LangGraphMessageChunk[] {
    this.#messages.set(message.id, message);
    return [message];
  }

  #remove(id: string): readonly LangGraphMessageChunk[] {
    const key = this.#idOf(id);
    return this.#messages.delete(key) ? [removedMessage(key)] : [];
  }
}

const resultOf = (callId: string): string => `${callId}/result`;
