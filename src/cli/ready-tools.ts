import type { ToolGroup } from '../../machines/index.ts';
import type { Tool } from '../index.ts';
import { calculator, getCurrentDatetime, pythonRepl } from '../tools/index.ts';
import type { Settings } from './settings.ts';

/** Tools of each group, including unavailable ones with their reasons. Each group is imported on demand. */
export const readyTools: Readonly<Record<ToolGroup, (settings: Settings) => Promise<readonly Tool[]>>> = {
  local: async (settings) => {
    const { readFile } = await import('../tools/node/index.ts');
    return [calculator(), getCurrentDatetime(), readFile({ root: settings.root })];
  },
  documents: async (settings) => [(await import('./document-search.ts')).documentSearch(settings)],
  web: async ({ allowNet = false }) => {
    const { getWeather, searchWikipedia, webSearch } = await import('../tools/web/index.ts');
    return [
      getWeather({ allowNet, ...keyIn('OPENWEATHER_API_KEY') }),
      searchWikipedia({ allowNet }),
      webSearch({ allowNet, ...keyIn('TAVILY_API_KEY') }),
    ];
  },
  google: async ({ allowNet = false }) => {
    const { GOOGLE_CSE_ID: engineId } = process.env;
    const { googleSearch } = await import('../tools/web/index.ts');
    return [googleSearch({ allowNet, ...keyIn('GOOGLE_API_KEY'), ...(engineId ? { engineId } : {}) })];
  },
  python: async ({ allowPython }) => {
    const { montySandbox } = await import('../tools/python/monty-sandbox.ts');
    return [pythonRepl({ sandbox: allowPython ? montySandbox() : undefined })];
  },
};

/** API key of a service, from the environment. */
const keyIn = (name: string): { apiKey?: string } => (process.env[name] ? { apiKey: process.env[name] } : {});
