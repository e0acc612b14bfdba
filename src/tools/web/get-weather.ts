import { WorkflowError } from '../../core/errors/errors.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { defineTool } from '../define/define-tool.ts';
import { fetchJson, networkProblem } from './fetch-json.ts';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';

export interface GetWeatherOptions {
  /** Fetch function for the requests. Default: `createGuardedFetch()`. */
  readonly fetch?: GuardedFetch;
  /** True when the user has allowed network access. @default false */
  readonly allowNet?: boolean;
  /** API key of OpenWeather. */
  readonly apiKey?: string;
  /** URL of OpenWeather, without a trailing slash. @default 'https://api.openweathermap.org' */
  readonly baseUrl?: string;
}

const metersPerSecondPerMilePerHour = 0.44704;

/**
 * Returns the current weather at a place, from OpenWeather.
 *
 * Fails with `TOOL_UNAVAILABLE` without a key or network access, with `TOOL_FAILED` for an unknown place.
 */
export function getWeather(options: GetWeatherOptions = {}): Tool {
  const { fetch = createGuardedFetch(), allowNet, apiKey = '', baseUrl = 'https://api.openweathermap.org' } = options;
  const unavailable = apiKey === '' ? 'OPENWEATHER_API_KEY is not set.' : networkProblem(allowNet);
  return defineTool({
    name: 'get_weather',
    description: 'Gives the current weather at a place: description, temperature, humidity and wind.',
    access: 'search',
    primaryInput: 'location',
    ...(unavailable === undefined ? {} : { unavailable }),
    input: objectSchema(
      {
        location: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'City, optionally with a country code: "Seoul" or "Paris,FR".',
        },
        units: {
          description: 'Temperatures in °C (metric, the default) or °F (imperial).',
          type: 'string',
          enum: ['metric', 'imperial'],
        },
      },
      { optional: ['units'] },
    ),
    async execute({ location, units = 'metric' }, { signal }) {
      const query = new URLSearchParams({ q: location, units, appid: apiKey });
      const url = `${baseUrl}/data/2.5/weather?${query}`;
      const answer = async () => (await import('./answers.ts')).openWeatherAnswer;
      const call = fetchJson({ fetch, service: 'OpenWeather', url, signal, schema: answer, apiKey, unavailable });
      const { name, sys, weather, main, wind, dt } = await call.catch((error: unknown) => {
        throw isNotFound(error) ? unknownPlace(location) : error;
      });
      return {
        location: name,
        country: sys.country ?? null,
        description: weather.map(({ description }) => description).join(', '),
        temperature: main.temp,
        feelsLike: main.feels_like,
        humidityPercent: main.humidity,
        windMetersPerSecond: units === 'metric' ? wind.speed : Math.round(wind.speed * metersPerSecondPerMilePerHour * 100) / 100,
        observedAt: new Date(dt * 1000).toISOString(),
        units,
      };
    },
  });
}

const isNotFound = (error: unknown): boolean => hasCode(error, 'FETCH_FAILED') && error.data?.status === 404;

const unknownPlace = (location: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_FAILED',
    message: `OpenWeather does not know the place ${JSON.stringify(location)}.`,
    hint: 'Check the spelling, or name a larger place nearby.',
  });
