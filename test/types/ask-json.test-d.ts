// Checked by `tsc --noEmit`: the type of a model's reply is that of the schema, and nobody can say another one.
import type { ChatModel, Json, JsonSchema, NodeIo, StandardSchema } from 'agent-machines';
import { askJson, parseJsonReply } from 'agent-machines/models';
import { z } from 'zod';

declare const model: ChatModel;
declare const io: NodeIo;
declare const plain: JsonSchema;
const request = { task: 'trip.days', messages: [] };
const trip = z.strictObject({ days: z.int(), note: z.string().nullable() });

const reply = await askJson(model, request, { io, schema: trip });
export const days: number = reply.days;
export const note: string | null = reply.note;
// @ts-expect-error a field that the schema does not have
reply.hours;
// @ts-expect-error the schema says what it is
export const text: string = reply.days;
// @ts-expect-error and nobody says it beside the schema
void askJson<{ readonly hours: number }>(model, request, { io, schema: trip });

// what a schema reads is what is returned
export const length: number = parseJsonReply('', { schema: z.strictObject({ text: z.string() }).transform((value) => value.text.length) });

// any library will do
declare const own: StandardSchema<{ readonly city: string }>;
export const city: string = (await askJson(model, request, { io, schema: own })).city;

// without a library: a JSON Schema, and what reads it
export const json: Json = await askJson(model, request, { io, schema: plain, parse: (value) => value });
export const count: number = parseJsonReply('', { schema: plain, parse: (value) => Number(value) });
// @ts-expect-error a JSON Schema alone says no type
void askJson(model, request, { io, schema: plain });
// @ts-expect-error not even to those who know it
void askJson<{ readonly days: number }>(model, request, { io, schema: plain });
