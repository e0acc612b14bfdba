import type { HumanEvent } from 'agent-machines';
import { chosenModel } from './model.ts';
import { runAtTerminal } from './terminal.ts';
import { assistant } from './workflow.ts';

const workflow = assistant({
  model: chosenModel(),
  shop: {
    status: async (order) => (order % 2 === 0 ? 'delivered' : 'on its way'),
    refund: async (order) => {
      console.log(`refunded: order ${order}`);
      return `receipt-${order}`;
    },
  },
});

const words = process.argv[2];
await runAtTerminal(workflow, {
  input: { input: words ?? 'Where is order 7?' },
  words,
  toEvent(answer): HumanEvent | undefined {
    if (answer === 'REJECT') return { type: 'REJECT', reason: 'A human has rejected it.' };
    return answer === 'APPROVE' ? { type: 'APPROVE' } : undefined;
  },
  help: 'npm start -- APPROVE, or npm start -- REJECT',
  show: ({ answer }) => console.log(answer),
});
