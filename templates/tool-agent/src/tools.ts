import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

/** External services of the tools, or fakes of them. */
export interface Shop {
  status(order: number): Promise<string>;
  /** @returns the receipt. */
  refund(order: number): Promise<string>;
}

const order = z.int().positive();

export const shopTools = (shop: Shop) => [
  defineTool({
    name: 'order_status',
    description: 'Looks up where an order is.',
    access: 'read',
    input: z.strictObject({ order }),
    execute: async (input) => ({ status: await shop.status(input.order) }),
  }),
  defineTool({
    name: 'refund',
    description: 'Pays the price of an order back.',
    access: 'send',
    // not repeated after a crash: the call is then in doubt, and a human decides
    needsApproval: true,
    input: z.strictObject({ order }),
    execute: async (input) => ({ receipt: await shop.refund(input.order) }),
  }),
];
