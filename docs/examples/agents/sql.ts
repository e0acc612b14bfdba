// Answers questions about a database: it may read everything and change nothing, whatever the model writes.
import { DatabaseSync } from 'node:sqlite';
import type { ChatModel } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

export const analyst = (model: ChatModel, file: string) => {
  const database = new DatabaseSync(file, { readOnly: true });
  const rowsOf = async (sql: string) => JSON.stringify(database.prepare(`SELECT * FROM (${sql.replace(/;\s*$/, '')}) LIMIT 50`).all());
  const tables = defineTool({
    name: 'tables',
    description: 'The tables with their columns, as SQL.',
    access: 'read',
    input: z.strictObject({}),
    execute: () => rowsOf('SELECT sql FROM sqlite_schema'),
  });
  const query = defineTool({
    name: 'query',
    description: 'Rows of one SELECT, at most 50.',
    access: 'read',
    input: z.strictObject({ sql: z.string() }),
    execute: ({ sql }) => rowsOf(sql),
  });
  return toolAgent({ model, tools: [tables, query], instructions: 'You answer from the database. Read the tables first.' });
};
