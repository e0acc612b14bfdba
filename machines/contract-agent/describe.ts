import type { JsonObject } from 'agent-machines';
import type { DescriptionFormat, NodeDescription } from 'agent-machines/inspect';
import type { ArticleRef, ContractAgentState } from './state.ts';

/** Describes a node of contract-agent in a few words. */
export function describeContractAgent(node: string, patch: JsonObject, format: DescriptionFormat): NodeDescription {
  const state = patch as Partial<ContractAgentState>;
  switch (node) {
    case 'scope_validator':
      return { summary: `${state.inScope ? 'in scope' : 'out of scope'}: ${state.scopeReason ?? ''}` };
    case 'check_previous_context':
      return { summary: state.needPreviousContext === false ? 'independent of the last turn' : 'needs the last turn' };
    case 'plan_next_action':
      return describePlan(state, format);
    case 'execute_tools':
    case 'execute_tools_parallel':
      return describeCalls(state, format);
    case 'evaluate_sufficiency': {
      const decision = state.decisionLog?.at(-1);
      if (!decision) return { summary: '' };
      const missing = decision.missingInfo === null ? [] : [`missing: ${format.oneLine(decision.missingInfo, 90)}`];
      return { summary: `${decision.action}: ${decision.reasoning}`, lines: missing };
    }
    case 'generate_response':
      return { summary: state.sources && state.sources.length > 0 ? `cites ${state.sources.map(nameOf).join(', ')}` : 'cites no article' };
    case 'ask_each_contract':
      return describeTable(state);
    default:
      return { summary: '' };
  }
}

function describeTable({ table = [] }: Partial<ContractAgentState>): NodeDescription {
  const found = table.filter(({ answer }) => answer !== 'not_found').length;
  return { summary: `${table.length} contracts, found in ${found}` };
}

function describePlan(
  { nextTools = [], toolHistory = [], eachQuestion = null }: Partial<ContractAgentState>,
  { oneLine, pad }: DescriptionFormat,
): NodeDescription {
  if (eachQuestion !== null) return { summary: `asks each contract: ${oneLine(eachQuestion, 90)}` };
  const width = Math.max(0, ...[...nextTools.map(({ name }) => name), ...toolHistory.map(({ tool }) => tool)].map(({ length }) => length));
  const calls = nextTools.map(({ name, args }) => `${pad(name, width)}  ${oneLine(JSON.stringify(args), 90)}`);
  const skipped = toolHistory.map(({ tool, reason = '' }) => `${pad(tool, width)}  skipped: ${oneLine(reason, 90)}`);
  const parallel = nextTools.length > 1 ? ', at the same time' : '';
  const summary =
    nextTools.length === 0 ? 'nothing to look up' : `${nextTools.length} ${nextTools.length === 1 ? 'look-up' : 'look-ups'}${parallel}`;
  return { summary, lines: [...calls, ...skipped] };
}

function describeCalls(
  { toolHistory = [], exploredArticles = [], findings = [] }: Partial<ContractAgentState>,
  { oneLine }: DescriptionFormat,
): NodeDescription {
  const failures = toolHistory.filter(({ status }) => status === 'failure');
  return {
    summary: exploredArticles.length === 0 ? 'no article' : exploredArticles.map(nameOf).join(', '),
    lines: [
      ...findings.slice(0, 5).map(({ detail }) => oneLine(detail, 100)),
      ...(findings.length > 5 ? [`and ${findings.length - 5} more`] : []),
      ...failures.map(({ tool, reason = '' }) => `${tool}  ${oneLine(reason, 90)}`),
    ],
    failed: failures.length > 0,
  };
}

const nameOf = ({ side, contract, label }: ArticleRef): string => {
  const place = contract === undefined ? label : `${contract} ${label}`;
  return side === 'user' ? place : `${place} (standard)`;
};
