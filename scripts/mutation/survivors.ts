/** Machines with one part wrong in which no invariant finds anything, and why that is right: reviewed by hand. */
export const survivors: Readonly<Record<string, string>> = {
  'contract-agent: plan_next_action --done [noTools]--> generate_response: edges swapped, with the edge to execute_tools_parallel, in order':
    '"No call" and "at least two calls" are never true of the same answer, so their order does not matter.',
  'tool-agent: tools --done [awaitsApproval]--> tool_review: edges swapped, with the edge to answer_review, in order':
    'A guard holds the answer of a stop only once no call waits, so the order does not matter.',
  'tool-agent: agent --done [hasToolCalls]--> tools: edges swapped, with the edge to answer_review, in order':
    'A guard holds final answers only, and those have no calls, so the order does not matter.',
};
