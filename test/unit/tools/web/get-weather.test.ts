import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { type JsonObject, type Tool, type ToolContext, toErrorInfo } from 'agent-machines';
import { getWeather } from 'agent-machines/tools/node';
import { describe, expect, it } from 'vitest';
import { guardedFetchTo, startHttpServer } from '../../../fixtures/http-server.ts';

const apiKey = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';

/** What OpenWeather sends for the current weather. */
const seoul = {
  coord: { lon: 126.9778, lat: 37.5683 },
  weather: [{ id: 501, main: 'Rain', description: 'moderate rain', icon: '10d' }],
  base: 'stations',
  main: { temp: 21.4, feels_like: 21.9, temp_min: 20.1, temp_max: 22.8, pressure: 1009, humidity: 88, sea_level: 1009, grnd_level: 1001 },
  visibility: 8000,
  wind: { speed: 10, deg: 120, gust: 14.2 },
  rain: { '1h': 1.7 },
  clouds: { all: 90 },
  dt: 1_750_000_000,
  sys: { type: 1, id: 8105, country: 'KR', sunrise: 1_749_931_800, sunset: 1_749_984_900 },
  timezone: 32_400,
  id: 1_835_848,
  name: 'Seoul',
  cod: 200,
};

const context: ToolContext = { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 };

/** The tool against a local server that answers like OpenWeather. */
async function weatherOf(
  handler: (response: ServerResponse, request: IncomingMessage) => void,
  key = apiKey,
): Promise<{ tool: Tool; urls: URL[] }> {
  const urls: URL[] = [];
  const server = await startHttpServer((request, response) => {
    urls.push(new URL(request.url ?? '', 'http://localhost'));
    handler(response, request);
  });
  return { tool: getWeather({ fetch: guardedFetchTo(server), allowNet: true, apiKey: key, baseUrl: server.origin }), urls };
}

const sendJson = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
};

describe('getWeather', () => {
  it('returns the current weather as plain JSON', async () => {
    const { tool, urls } = await weatherOf((response) => sendJson(response, seoul));
    expect(await tool.execute({ location: 'Seoul' }, context)).toEqual({
      location: 'Seoul',
      country: 'KR',
      description: 'moderate rain',
      temperature: 21.4,
      feelsLike: 21.9,
      humidityPercent: 88,
      windMetersPerSecond: 10,
      observedAt: '2025-06-15T15:06:40.000Z',
      units: 'metric',
    });
    expect(urls[0]?.pathname).toBe('/data/2.5/weather');
    expect(Object.fromEntries(urls[0]?.searchParams ?? [])).toEqual({ q: 'Seoul', units: 'metric', appid: apiKey });
  });

  it('converts the wind of imperial units, which is in miles per hour', async () => {
    const { tool, urls } = await weatherOf((response) => sendJson(response, seoul));
    expect(await tool.execute({ location: 'Seoul', units: 'imperial' }, context)).toMatchObject({
      units: 'imperial',
      windMetersPerSecond: 4.47,
    });
    expect(urls[0]?.searchParams.get('units')).toBe('imperial');
  });

  it('sends a place as one value, whatever its characters', async () => {
    const { tool, urls } = await weatherOf((response) => sendJson(response, seoul));
    await tool.execute({ location: '서울&appid=other#x' }, context);
    expect(urls[0]?.searchParams.getAll('appid')).toEqual([apiKey]);
    expect(urls[0]?.searchParams.get('q')).toBe('서울&appid=other#x');
  });

  it('returns no country for the open sea, and joins the descriptions of mixed weather', async () => {
    const mixed = [...seoul.weather, { id: 701, main: 'Mist', description: 'mist', icon: '50d' }];
    const { tool } = await weatherOf((response) => sendJson(response, { ...seoul, sys: { sunrise: 1, sunset: 2 }, weather: mixed }));
    expect(await tool.execute({ location: 'Atlantic' }, context)).toMatchObject({ country: null, description: 'moderate rain, mist' });
  });

  it('reports an unknown place', async () => {
    const { tool } = await weatherOf((response) => sendJson(response, { cod: '404', message: 'city not found' }, 404));
    await expect(tool.execute({ location: 'Nowhereville' }, context)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: 'OpenWeather does not know the place "Nowhereville".',
      retryable: false,
    });
  });

  it.each([
    ['not JSON', 'Sunny!'],
    ['null', null],
    ['an error with status 200', { cod: '400', message: 'bad query' }],
    ['without weather', { ...seoul, weather: [] }],
    ['without a temperature', { ...seoul, main: { feels_like: 1, humidity: 2 } }],
    ['with a temperature as text', { ...seoul, main: { ...seoul.main, temp: '21.4' } }],
    ['without wind', { ...seoul, wind: undefined }],
    ['with a time that no date reaches', { ...seoul, dt: 1e15 }],
  ])('fails for an answer that is %s', async (_what, answer) => {
    const { tool } = await weatherOf((response) => {
      if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      else sendJson(response, answer);
    });
    await expect(tool.execute({ location: 'Seoul' }, context)).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false });
  });

  it('can be retried if OpenWeather is overloaded', async () => {
    const { tool } = await weatherOf((response) => sendJson(response, { cod: 429, message: 'too many calls' }, 429));
    await expect(tool.execute({ location: 'Seoul' }, context)).rejects.toMatchObject({
      code: 'FETCH_FAILED',
      retryable: true,
      data: { status: 429 },
    });
  });

  it('throws the reason of the signal', async () => {
    const caller = new AbortController();
    const reason = new Error('the user left');
    const { tool } = await weatherOf(() => caller.abort(reason));
    await expect(tool.execute({ location: 'Seoul' }, { ...context, signal: caller.signal })).rejects.toBe(reason);
  });

  it.each<JsonObject>([{}, { location: '' }, { location: 5 }, { location: 'Seoul', units: 'kelvin' }, { location: 'Seoul', appid: 'x' }])(
    'refuses the arguments %j',
    async (args) => {
      const { tool, urls } = await weatherOf((response) => sendJson(response, seoul));
      await expect(tool.execute(args, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
      expect(urls).toEqual([]);
    },
  );

  it.each([
    [{}, 'OPENWEATHER_API_KEY is not set.'],
    [{ allowNet: true }, 'OPENWEATHER_API_KEY is not set.'],
    [{ allowNet: true, apiKey: '' }, 'OPENWEATHER_API_KEY is not set.'],
    [{ apiKey }, 'Network access is off. Allow it with --allow-net.'],
    [{ apiKey, allowNet: false }, 'Network access is off. Allow it with --allow-net.'],
  ])('is unavailable with %j', async (options, reason) => {
    const fetch = () => expect.unreachable('nothing may be fetched');
    const tool = getWeather({ ...options, fetch });
    expect(tool.unavailable).toBe(reason);
    await expect(tool.execute({ location: 'Seoul' }, context)).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE', message: reason });
  });

  it('declares its name, effect and capabilities', () => {
    const tool = getWeather({ allowNet: true, apiKey });
    expect(tool).toMatchObject({
      name: 'get_weather',
      primaryInput: 'location',
      effect: 'idempotent',
      capabilities: { private: false, untrusted: true, external: true },
      inputSchema: { type: 'object', required: ['location'], additionalProperties: false },
    });
    expect(tool).not.toHaveProperty('unavailable');
    expect(inspect(tool, { depth: 9 })).not.toContain(apiKey);
  });

  it.each([
    ['the key is refused', (response: ServerResponse) => sendJson(response, { cod: 401, message: `Invalid key ${apiKey}` }, 401)],
    ['the service fails', (response: ServerResponse) => sendJson(response, { message: apiKey }, 500)],
    ['the place is unknown', (response: ServerResponse) => sendJson(response, { message: apiKey }, 404)],
    ['the connection breaks', (response: ServerResponse) => response.destroy()],
    ['the answer is not JSON', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/plain' }).end(apiKey)],
    ['the answer has another shape', (response: ServerResponse) => sendJson(response, { [apiKey]: apiKey, main: { temp: apiKey } })],
    ['the answer repeats the key', (response: ServerResponse) => sendJson(response, { ...seoul, name: `Seoul ${apiKey}` })],
    [
      'a redirect is refused',
      (response: ServerResponse) => response.writeHead(302, { location: `http://10.0.0.1/?appid=${apiKey}` }).end(),
    ],
    ['the body is no text', (response: ServerResponse) => response.writeHead(200, { 'content-type': apiKey }).end()],
  ])('keeps the key out of the error if %s', async (_what, handler) => {
    const { tool } = await weatherOf((response) => void handler(response));
    const error: unknown = await tool.execute({ location: 'Seoul' }, context).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(TOOL_FAILED|FETCH_FAILED|ADDRESS_NOT_ALLOWED)$/) });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
    expect(JSON.stringify(toErrorInfo(error))).not.toContain(apiKey);
  });

  it('keeps the key out of the error of a wrong base URL', async () => {
    const tool = getWeather({ allowNet: true, apiKey, baseUrl: 'nonsense' });
    const error: unknown = await tool.execute({ location: 'Seoul' }, context).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'FETCH_FAILED' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
  });
});
