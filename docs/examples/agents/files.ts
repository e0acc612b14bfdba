// Edits the files of one folder: it reads on its own, and a human approves each write with its exact text.
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatModel } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

const name = z.string().regex(/^[\w-]+\.(?:md|txt)$/, 'must be the name of a .md or .txt file, without a path');

export const editor = (model: ChatModel, folder: string) => {
  const pathOf = async (name: string): Promise<string> => {
    const found = await lstat(join(folder, name)).catch(() => undefined); // undefined: a new file
    if (found && !found.isFile()) throw new Error(`${name} is no file`); // a link may lead out of the folder
    return join(folder, name);
  };
  const read = { name: 'read_file', description: 'Text of a file.', access: 'read', input: z.strictObject({ name }) } as const;
  const text = z.string();
  const write = { name: 'write_file', description: 'Replaces a file.', access: 'write', input: z.strictObject({ name, text }) } as const;
  const tools = [
    defineTool({ ...read, execute: async ({ name }) => readFile(await pathOf(name), 'utf8') }),
    defineTool({ ...write, needsApproval: true, execute: async ({ name, text }) => writeFile(await pathOf(name), text).then(() => name) }),
  ];
  return toolAgent({ model, tools, instructions: 'You edit the files of one folder. Read a file before you write it.' });
};
