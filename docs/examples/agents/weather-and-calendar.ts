// Plans outings: looks at the weather, and adds an event to the calendar of the run's user.
import type { ChatModel, Json } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

const weather = (forecast: (city: string, day: string) => Promise<Json>) =>
  defineTool({
    name: 'weather',
    description: 'Forecast of a city.',
    access: 'search',
    input: z.strictObject({ city: z.string(), day: z.iso.date() }),
    execute: ({ city, day }) => forecast(city, day),
  });
const addEvent = (add: (user: string, event: { day: string; title: string }, key: string) => Promise<Json>) =>
  defineTool({
    name: 'add_event',
    description: 'Adds an event.',
    access: 'write',
    effect: 'idempotent',
    context: z.object({ user: z.string() }),
    input: z.strictObject({ day: z.iso.date(), title: z.string() }),
    execute: (event, { context: { user }, idempotencyKey }) => add(user, event, idempotencyKey),
  });
export const planner = (model: ChatModel, services: { forecast: Parameters<typeof weather>[0]; add: Parameters<typeof addEvent>[0] }) =>
  toolAgent({ model, tools: [weather(services.forecast), addEvent(services.add)], instructions: 'You plan outings. Weather first.' });
