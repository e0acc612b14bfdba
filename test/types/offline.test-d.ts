// Checked by `tsc --noEmit`, never run: what must not compile stands under `@ts-expect-error`.
import { type ChatAgentRuleInputs, chatAgentRules } from 'agent-machines/machines/chat-agent';
import { combineRules, type OfflineRules, offlineModel } from 'agent-machines/models';

// each rule has the rule input of its task
offlineModel<ChatAgentRuleInputs>({
  'chat_agent.router': ({ ruleInput }) => {
    const hasDocuments: boolean = ruleInput.hasDocuments;
    // @ts-expect-error the router is told nothing of tools
    void ruleInput.tools;
    return { route: hasDocuments ? 'rag' : 'agent', reason: '' };
  },
  'chat_agent.memory': ({ ruleInput }) => ruleInput.maxChars.toFixed(),
});

// @ts-expect-error there is no such task
offlineModel<ChatAgentRuleInputs>({ 'chat_agent.agnt': () => 'x' });

// the rules of a machine, some of them replaced, and joined sets
export const rules: OfflineRules<ChatAgentRuleInputs> = chatAgentRules;
offlineModel({ ...chatAgentRules, 'chat_agent.agent': () => 'x' });
offlineModel(combineRules(chatAgentRules, { greet: () => 'Hello!' }));

// @ts-expect-error a set of rules has one for every task
export const incomplete: OfflineRules<ChatAgentRuleInputs> = { 'chat_agent.agent': () => 'x' };
