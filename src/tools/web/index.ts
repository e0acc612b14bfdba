export { type AddressRules, isPublicAddress } from './address-check.ts';
export { type GetWeatherOptions, getWeather } from './get-weather.ts';
export { type GoogleSearchOptions, googleSearch } from './google-search.ts';
export {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
} from './guarded-fetch.ts';
export { type SearchWikipediaOptions, searchWikipedia } from './search-wikipedia.ts';
export { type WebSearchOptions, webSearch } from './web-search.ts';
