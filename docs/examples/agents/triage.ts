// A help desk of three agents: triage hands over, billing refunds once a human approves, tech has no way to the money.
import type { ChatModel } from 'agent-machines';
import { agentTeam } from 'agent-machines/machines/agent-team';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

export const agents = { triage: { handoffs: ['billing', 'tech'] }, billing: { handoffs: ['triage'] }, tech: { handoffs: ['triage'] } };

export const helpDesk = (model: ChatModel, pay: (order: string, key: string) => Promise<string>) => {
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds an order.',
    access: 'send',
    needsApproval: true,
    input: z.strictObject({ order: z.string() }),
    execute: async ({ order }, { idempotencyKey }) => ({ receipt: await pay(order, idempotencyKey) }),
  });
  const triage = { ...agents.triage, instructions: 'Find out what it is about, and hand over.' };
  const billing = { ...agents.billing, instructions: 'You handle money.', description: 'For invoices and refunds.', tools: [refund] };
  const tech = { ...agents.tech, instructions: 'You repair.', description: 'For everything broken.' };
  return agentTeam({ id: 'help_desk', model, start: 'triage', agents: { triage, billing, tech } });
};
