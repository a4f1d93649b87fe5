import type { JsonSchema, Schema } from '../../schema/api/json-schema.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { AccessRule } from '../auth/scopes.ts'
import type { ApiDeps } from '../ports.ts'
import type { FaultBounds } from './errors.ts'
import type { FileAnswer } from './file.ts'
import type { Form } from './upload.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route as data: the server, the OpenAPI document and the tests all read the same declaration. */
export interface Route<Query = unknown, Body = unknown, Output = unknown> {
  readonly method: Method
  /** As express writes it: `/machines/:id`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** 'public': without a key. */
  readonly scope: AccessRule | 'public'
  /** A public route that may be refused as others are: 401, 403, 429, 503. */
  readonly refuses?: boolean
  /** Takes a place before the body is read, and answers what gives it back; throws an `ApiError` where there is none. */
  readonly enter?: (caller: Caller, deps: ApiDeps) => () => void
  /** Properties of the path that must fit more than "a text". Where the handler checks the body, it checks them too. */
  readonly params?: Schema<Readonly<Record<string, string>>>
  /** Flat: texts, numbers and booleans, converted as the schema says. */
  readonly query?: Schema<Query>
  readonly body?: BodySpec<Body>
  /** Answers 404 too where the body or the query names what isn't there; paths with parameters always may. */
  readonly mayMiss?: boolean
  /** Of the answer when all is well; 200 unless given. */
  readonly status?: number
  /** 'text', 'html': a text instead of JSON; file types: `handle` answers a `FileAnswer` of one of them. */
  readonly output: Schema<Output> | 'text' | 'html' | FileTypes
  /** How many faults an answer names, and its bytes; `ordinaryFaults` unless given. */
  readonly faults?: FaultBounds
  /** Other statuses whose body is the output's too. */
  readonly otherStatuses?: readonly number[]
  /** Gets what the schemas let through; throws an `ApiError` for what the caller may know. */
  handle(call: Call<Query, Body>, deps: ApiDeps): Promise<Output> | Output
}

/** Media types of the files that a route answers with. */
export interface FileTypes {
  readonly files: readonly string[]
}

export interface BodySpec<Body> {
  readonly schema: Schema<Body>
  /** Where the body is checked against the schema: before `handle`, or by `handle` itself (the schema is for the docs). */
  readonly checked: 'before' | 'by handler'
  /** 'raw': `handle` gets the inflated bytes as they came; 'form': a `Form`. */
  readonly kind: 'json' | 'raw' | 'form'
  readonly contentTypes: readonly string[]
  /** Name of a form's file. */
  readonly fileField?: string
}

/** One request, as a route's `handle` sees it. */
export interface Call<Query = unknown, Body = unknown> {
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly contentType: string | undefined
  /** Throws on a public route. */
  readonly caller: () => Caller
  /** What the caller reaches this service by: `https://takt.example`. */
  readonly baseUrl: string
  /** Stands for where the caller is in what is counted by address. */
  readonly address: string
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  readonly setStatus: (status: number) => void
  readonly setHeader: (name: string, value: string) => void
}

/** Declares a route; what `handle` gets follows from the schemas. */
export function route<Query, Body, Output>(declared: Route<Query, Body, Output>): Route {
  // Sound as long as only what the schemas let through is handed to `handle`, which `mount` sees to.
  return declared
}

/** Declares a route that answers with a file. */
export function fileRoute<Query>(declared: Route<Query, unknown, FileAnswer> & { readonly output: FileTypes }): Route {
  return route(declared)
}

/** A JSON body that fits the schema. */
export function jsonBody<Body>(schema: Schema<Body>): BodySpec<Body> {
  return { schema, checked: 'before', kind: 'json', contentTypes: ['application/json'] }
}

/** A JSON body that the handler checks by rules of its own. */
export function uncheckedBody(json: JsonSchema): BodySpec<unknown> {
  return { schema: { json }, checked: 'by handler', kind: 'json', contentTypes: ['application/json'] }
}

/** A body that the handler reads itself. */
export function rawBody(json: JsonSchema, contentTypes: readonly string[]): BodySpec<Buffer> {
  return { schema: { json }, checked: 'by handler', kind: 'raw', contentTypes }
}

/** A form with a file, whose fields the handler checks. */
export function formBody(fileField: string, json: JsonSchema): BodySpec<Form> {
  return { schema: { json }, checked: 'by handler', kind: 'form', contentTypes: ['multipart/form-data'], fileField }
}
