import type { ProviderData } from '../../core/ports/chat-model.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { AssistantMessage } from '../assistant-message.ts';
import type { CollectedCall } from './collected-calls.ts';

/** Builds the provider data of a message from the fields that the provider expects back with it, and with each of its calls. */
export function toProviderData({
  from,
  kept,
  calls,
}: {
  readonly from: string;
  readonly kept: JsonObject;
  readonly calls: readonly CollectedCall[];
}): ProviderData | undefined {
  const ofCalls = Object.fromEntries(calls.flatMap((call) => (isEmpty(call.kept) ? [] : [[call.id, call.kept]])));
  if (isEmpty(kept) && isEmpty(ofCalls)) return undefined;
  return { from, data: { ...(isEmpty(kept) ? {} : { message: kept }), ...(isEmpty(ofCalls) ? {} : { calls: ofCalls }) } };
}

/** Fields to send back with a message and its calls. */
export interface ReturnedData {
  readonly message: JsonObject;
  readonly call: (id: string) => JsonObject;
}

const noData: ReturnedData = { message: {}, call: () => ({}) };

/** Reads the provider data; returns no fields for a message of another provider or model. */
export function returnedData({ providerData }: AssistantMessage, from: string): ReturnedData {
  if (providerData?.from !== from) return noData;
  const { message, calls } = providerData.data;
  const ofCalls = isObject(calls) ? calls : {};
  return {
    message: isObject(message) ? message : {},
    call: (id) => {
      const fields = Object.hasOwn(ofCalls, id) ? ofCalls[id] : undefined;
      return isObject(fields) ? fields : {};
    },
  };
}

const isEmpty = (fields: JsonObject): boolean => Object.keys(fields).length === 0;
