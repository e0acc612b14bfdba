import { defineEval, never, trajectory } from 'agent-machines/evals';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { calculator, getCurrentDatetime } from 'agent-machines/tools';
import { answerCases, answersWell, friday } from './answer-cases.ts';

export default defineEval({
  name: 'chat-agent: unseen questions without a model',
  workflow: (_, { clock }) => chatAgent({ tools: [calculator(), getCurrentDatetime({ clock })], timeZone: 'Asia/Seoul' }),
  date: friday,
  cases: answerCases,
  threshold: { 'answers well': 0.9 },
  graders: [
    answersWell('chat-agent'),
    trajectory(['router -> memory', 'memory -> agent', 'agent -> done'], 'in-order'),
    never('agent -> stopped'),
  ],
});
