import { defineEval, never } from 'agent-machines/evals';
import { getTime, guideAgent } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { calculator } from 'agent-machines/tools';
import { answerCases, answersWell, friday } from './answer-cases.ts';

const knowledge = await exampleKnowledge();

export default defineEval({
  name: 'guide-agent: unseen questions without a model',
  workflow: (_, { clock }) => guideAgent({ knowledge, tools: [calculator(), getTime({ clock })], timeZone: 'Asia/Seoul' }),
  date: friday,
  cases: answerCases,
  threshold: { 'answers well': 0.9 },
  graders: [answersWell('guide-agent'), never('guide_generation_node -> stopped')],
});
