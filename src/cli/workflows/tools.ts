import type { Tool } from '../../index.ts';
import { calculator, getCurrentDatetime } from '../../tools/index.ts';
import { readFile } from '../../tools/node/index.ts';
import { getWeather, searchWikipedia, webSearch } from '../../tools/web/index.ts';
import { type Settings, zoneOf } from '../settings.ts';

/** The key of a service, from the environment. */
export const keyIn = (name: string): { apiKey?: string } => (process.env[name] ? { apiKey: process.env[name] } : {});

/** Tools that need no network, those that cannot be used included: they say why. */
export const localTools = (settings: Settings): readonly Tool[] => [
  calculator(),
  getCurrentDatetime(zoneOf(settings)),
  readFile({ root: settings.root }),
];

/** Tools of the network, those that cannot be used included. */
export const webTools = ({ allowNet = false }: Settings): readonly Tool[] => [
  getWeather({ allowNet, ...keyIn('OPENWEATHER_API_KEY') }),
  searchWikipedia({ allowNet }),
  webSearch({ allowNet, ...keyIn('TAVILY_API_KEY') }),
];
