/** Who asked for an action. Each text has at most 200 characters, longer ones are cut. No secrets: it is stored and shown. */
export interface Actor {
  /** Way by which the request came: `api`, `cli`, `mcp`, `ai-sdk`, `ag-ui`, `openai`, `langgraph`, `a2a`, `schedule`, or your own. */
  readonly via: string;
  /** Name of the token, the user of the operating system, or the schedule. */
  readonly name?: string;
  readonly tenant?: string;
  /** Program of the requester: the user agent, or the command. */
  readonly client?: string;
}
