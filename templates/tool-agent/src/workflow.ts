import type { ChatModel } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { rules } from './model.ts';
import { type Shop, shopTools } from './tools.ts';

export interface Services {
  readonly shop: Shop;
  /** Default: rules, without a network. */
  readonly model?: ChatModel;
}

/** Answers questions about orders. A refund waits for a human. */
export const assistant = ({ shop, model = rules }: Services) =>
  toolAgent({
    id: 'assistant',
    model,
    tools: shopTools(shop),
    instructions: 'You help the customers of a shop. Refund an order only if the customer asks for it.',
  });
