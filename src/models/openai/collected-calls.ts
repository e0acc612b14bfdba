import type { JsonObject } from '../../core/ports/json.ts';
import { joinFields } from './echo-fields.ts';

/** Part of a tool call in one chunk. An empty field is unknown. */
export interface ToolCallDelta {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Fields that the provider expects back with the call. */
  readonly kept: JsonObject;
}

/** A tool call as received so far. */
export type CollectedCall = ToolCallDelta;

export interface CollectedCalls {
  readonly add: (delta: ToolCallDelta) => void;
  /** Returns the calls by index if each has one, else in order of arrival. */
  readonly all: () => readonly CollectedCall[];
}

interface OpenCall {
  call: CollectedCall;
  readonly place: number;
  readonly end: ObjectEnd;
}

/**
 * Assembles tool calls from deltas. Servers omit indexes, give all calls the same index, omit the id, change it with each delta, or send
 * the whole call again. The content of a delta, and whether the arguments so far are complete, decide which call it belongs to.
 */
export function collectedCalls(): CollectedCalls {
  const open: OpenCall[] = [];

  const ownerOf = (delta: ToolCallDelta): OpenCall | undefined => {
    const { index, id, name } = delta;
    const ofId = id === '' ? undefined : open.findLast(({ call }) => call.id === id);
    const numbered = index === undefined ? undefined : open.findLast(({ call }) => call.index === index);
    const likely = index === undefined ? (ofId ?? open.at(-1)) : (numbered ?? (name === '' ? ofId : undefined));
    return likely && !isAnother(likely, delta) ? likely : undefined;
  };

  return {
    add(delta) {
      const owner = ownerOf(delta);
      if (!owner) {
        if (delta.id === '' && delta.name === '' && delta.arguments.trim() === '') return;
        const end = objectEnd();
        end.add(delta.arguments);
        open.push({ call: delta, place: open.length, end });
        return;
      }
      const { call, end } = owner;
      const more = end.isReached() ? '' : delta.arguments; // text after a complete object repeats it
      end.add(more);
      owner.call = {
        index: call.index,
        id: call.id || delta.id,
        name: call.name || delta.name,
        arguments: call.arguments + more,
        kept: joinFields(call.kept, delta.kept),
      };
    },
    all() {
      const calls = [...open];
      if (calls.every(({ call }) => call.index !== undefined)) {
        calls.sort((a, b) => (a.call.index ?? 0) - (b.call.index ?? 0) || a.place - b.place);
      }
      return calls.map(({ call }) => call);
    },
  };
}

/** True when a delta that could continue a call begins another one. */
function isAnother({ call, end }: OpenCall, delta: ToolCallDelta): boolean {
  if (delta.name === '' || call.name === '') return false;
  if (delta.name !== call.name) return true;
  const isSameId = delta.id !== '' && delta.id === call.id;
  const isOtherId = delta.id !== '' && call.id !== '' && delta.id !== call.id;
  if (end.isReached()) {
    if (isOtherId) return true;
    const isRepeated = delta.arguments === call.arguments && (isSameId || delta.index !== undefined);
    return !isRepeated && isWhole(delta.arguments);
  }
  return isOtherId && isWhole(delta.arguments) && call.arguments.trim() === '';
}

const isWhole = (json: string): boolean => {
  const end = objectEnd();
  end.add(json);
  return end.isReached();
};

/** Finds the end of a JSON object that arrives in pieces; reads each character once. */
interface ObjectEnd {
  readonly add: (json: string) => void;
  readonly isReached: () => boolean;
}

function objectEnd(): ObjectEnd {
  let depth = 0;
  let reached = false;
  let inString = false;
  let escaped = false;
  const see = (character: string): void => {
    if (escaped) escaped = false;
    else if (inString) {
      if (character === '\\') escaped = true;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = depth > 0;
    else if (character === '{') depth += 1;
    else if (character === '}' && depth > 0) {
      depth -= 1;
      reached = depth === 0;
    }
  };
  return {
    add(json) {
      for (const character of json) {
        if (reached) return;
        see(character);
      }
    },
    isReached: () => reached,
  };
}
