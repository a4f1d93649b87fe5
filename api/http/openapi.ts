import { badRequestBody, errorBody, forbiddenErrorBody, tokenErrorBody } from '../../schema/requests/errors.ts'
import { jsonOf, named, type Schema, text, unsafe } from '../../schema/types.ts'
import { keyHeader, maxKeyLength } from './idempotency.ts'
import { NamedSchemas } from './named-schemas.ts'
import { sessionCookie } from './cookie.ts'
import type { BodySpec, FileTypes, Route, RouteGroup } from './route.ts'

type Json = Readonly<Record<string, unknown>>

const page = named('Page', { ...text }, 'A page or a text')
const file = named('File', unsafe<string>({ type: 'string', format: 'binary' }))

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Json
  readonly servers: readonly Json[]
  readonly security: readonly Json[]
  readonly tags: readonly Json[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: Json
}

/** Builds the document of the routes, each under the tag of its group, with named schemas as components. */
export function openApi(groups: readonly RouteGroup[], version: string): OpenApi {
  const paths: Record<string, Record<string, Json>> = {}
  for (const { tag, routes } of groups)
    for (const route of routes) {
      const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, tag) }
    }
  const schemas = new NamedSchemas()
  const named = schemas.refer({ paths, responses })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Takt',
      version,
      description:
        'Machine monitoring: samples in, OEE out. Live channels `status`, `diagnostics`, `timeline` and `connectors` are at ' +
        '`/events/machine/<channel>`, for Socket.IO and as plain WebSockets with frames `{event, data}`: see [live channels](/docs/guides/live).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ key: [] }, { session: [] }],
    tags: groups.map(({ tag, description }) => ({ name: tag, description })),
    paths: named.paths,
    components: {
      schemas: schemas.components,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, or a user token' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'See `POST /session`' },
        token: { type: 'apiKey', in: 'query', name: 'token', description: 'A user token, see `GET /user-token`' },
      },
      responses: named.responses,
    },
  }
}

function operation(route: Route, tag: string): Json {
  const { operationId, summary, description, scope, status = 200, otherStatuses = [] } = route
  const responses = [status, ...otherStatuses].map(code => [String(code), responseOf(route)] as const)
  return {
    operationId,
    tags: [tag],
    summary,
    ...((description !== undefined || scope !== 'public') && { description: describe(route) }),
    ...(scope === 'public' && { security: [] }),
    ...(typeof scope === 'object' && 'signedInAs' in scope && { security: [{ session: [] }] }),
    // A route with its own handlers accepts no cookie.
    ...(route.serve && { security: [{ key: [] }] }),
    ...(isFiles(route.output) && { security: [{ token: [] }, { key: [] }, { session: [] }] }),
    parameters: [...pathParameters(route), ...queryParameters(route), ...(route.keyed ? [keyParameter] : [])],
    ...(route.body && { requestBody: requestBody(route.body) }),
    responses: { ...errorResponses(route), ...Object.fromEntries(responses) },
  }
}

function describe({ description = '', scope }: Route): string {
  if (scope === 'public') return description
  if ('signedInAs' in scope)
    return `${description} Requires a signed-in user with the role \`${scope.signedInAs.join('` or `')}\`.`.trim()
  const scopes = 'anyOf' in scope ? scope.anyOf.join('` or `') : scope.allOf.join('` and `')
  const needs = scopes === '' ? 'Requires any valid key.' : `Requires the scope \`${scopes}\`.`
  return [description, needs].filter(part => part !== '').join(' ')
}

function pathParameters({ path, params, example = {} }: Route): Json[] {
  const schemas = propertiesOf(params)
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas[name] ?? text,
    example: example[name],
  }))
}

function queryParameters({ query, example = {} }: Route): Json[] {
  const required = query && jsonOf(query)['required']
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  return Object.entries(propertiesOf(query)).map(([name, schema]) =>
    isRequired(name)
      ? { name, in: 'query', required: true, schema, example: example[name] }
      : { name, in: 'query', schema },
  )
}

const keyParameter = {
  name: keyHeader,
  in: 'header',
  description:
    'A string chosen by the caller, such as a UUID, that makes a repeat safe: for 24 hours the same key and body return the first response (except 429, 5xx, and rejections before the body is read); another body with the same key is 409.',
  schema: { type: 'string', minLength: 1, maxLength: maxKeyLength },
} as const

function propertiesOf(schema: Schema | undefined): Readonly<Record<string, unknown>> {
  const properties = schema && jsonOf(schema)['properties']
  return typeof properties === 'object' ? { ...properties } : {}
}

function requestBody({ content }: BodySpec<unknown>): Json {
  const entries = Object.entries(content).map(([type, schema]) => {
    const { examples } = jsonOf(schema)
    const [example]: unknown[] = Array.isArray(examples) ? examples : []
    return [type, { schema: jsonOf(schema), ...(example !== undefined && { example }) }]
  })
  return { required: true, content: Object.fromEntries(entries) }
}

function responseOf({ output, summary, otherTypes = [] }: Route): Json {
  const content = contentOf(output)
  const others = otherTypes.map(type => [type, content['application/json']] as const)
  return { description: summary, content: { ...content, ...Object.fromEntries(others) } }
}

function contentOf(output: Route['output']): Json {
  const texts = output === 'text' ? ['text/plain'] : output === 'html' ? ['text/html'] : []
  const types = isFiles(output) ? output.files : texts
  if (types.length > 0) return Object.fromEntries(types.map(type => [type, { schema: isFiles(output) ? file : page }]))
  return isSchema(output) ? jsonContent(output) : {}
}

function isSchema(output: Route['output']): output is Schema {
  return typeof output === 'object' && !isFiles(output)
}

function isFiles(output: Route['output']): output is FileTypes {
  return typeof output === 'object' && 'files' in output
}

function errorResponses(route: Route): Json {
  const names: [string, keyof typeof responses][] = [
    ['400', 'BadRequest'],
    ['431', 'HeadersTooLarge'],
    ['500', 'InternalError'],
  ]
  if (route.scope !== 'public' || route.mayReject)
    names.push(['401', 'InvalidToken'], ['403', 'Forbidden'], ['429', 'TooManyRequests'], ['503', 'Unavailable'])
  if (route.body) names.push(['413', 'PayloadTooLarge'], ['415', 'UnsupportedMediaType'])
  if (route.path.includes(':') || route.mayMiss) names.push(['404', 'NotFound'])
  if (route.method !== 'GET') names.push(['409', 'Conflict'])
  return Object.fromEntries(names.map(([code, name]) => [code, { $ref: `#/components/responses/${name}` }]))
}

function jsonContent(schema: Schema): Json {
  return { 'application/json': { schema } }
}

function error(description: string, headers: readonly string[] = []): Json {
  const shown = headers.map(header => [header, { schema: text }] as const)
  return {
    description,
    ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
    content: jsonContent(errorBody),
  }
}

const responses = {
  BadRequest: {
    description: 'Invalid JSON, or field errors, which are all listed.',
    content: jsonContent(badRequestBody),
  },
  InvalidToken: {
    description: 'The request has no valid key.',
    headers: { 'WWW-Authenticate': { schema: text } },
    content: jsonContent(tokenErrorBody),
  },
  Forbidden: {
    description: 'The key lacks a scope.',
    content: jsonContent(forbiddenErrorBody),
  },
  NotFound: error('Not found in the company.'),
  Conflict: error('Conflict with existing records: it is in use, or exists already.'),
  PayloadTooLarge: error('The body is too large.'),
  UnsupportedMediaType: error('Unsupported content type or encoding of the body.'),
  TooManyRequests: error('Too many requests of this key or user, or too many attempts from this address.', [
    'Retry-After',
    'RateLimit-Reset',
  ]),
  HeadersTooLarge: error('Too many or too long headers.'),
  InternalError: error('Internal error; the log contains the request id.'),
  Unavailable: error('Temporarily unavailable; retry after the given time.', ['Retry-After']),
} as const satisfies Readonly<Record<string, Json>>
