import type { Tool } from '../../index.ts';
import { calculator, getCurrentDatetime } from '../../tools/index.ts';
import { readFile } from '../../tools/node/index.ts';
import { getWeather, searchWikipedia, webSearch } from '../../tools/web/index.ts';
import { type Settings, zoneOf } from '../settings.ts';

/** API key of a service, from the environment. */
export const keyIn = (name: string): { apiKey?: string } => (process.env[name] ? { apiKey: process.env[name] } : {});

/** Tools that need no network, including unavailable ones with their reasons. */
export const localTools = (settings: Settings): readonly Tool[] => [
  calculator(),
  getCurrentDatetime(zoneOf(settings)),
  readFile({ root: settings.root }),
];

/** Tools that need the network, including unavailable ones. */
export const webTools = ({ allowNet = false }: Settings): readonly Tool[] => [
  getWeather({ allowNet, ...keyIn('OPENWEATHER_API_KEY') }),
  searchWikipedia({ allowNet }),
  webSearch({ allowNet, ...keyIn('TAVILY_API_KEY') }),
];
