import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Infer, Schema } from '../../schema/types.ts'
import type { Caller } from '../auth/caller.ts'
import type { AccessRule } from '../auth/scopes.ts'
import type { FieldErrorLimits } from './errors.ts'
import type { FileResponse } from './respond.ts'
import type { StaticContent } from '../static/static-content.ts'
import type { Form } from './upload.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route as data: server, OpenAPI document and tests follow from it. `Deps`: the parts that it needs. */
export interface Route<Deps = never> extends RouteOptions<Deps> {
  readonly method: Method
  readonly path: string
  readonly operationId: string
}

interface RouteOptions<
  Deps,
  Query extends Schema = Schema,
  Body = unknown,
  Output extends ResponseKind = ResponseKind,
> {
  readonly summary: string
  readonly description?: string
  /** 'public': no key required. */
  readonly scope: AccessRule | 'public'
  /** A public route that may respond with 401, 403, 429 or 503. */
  readonly mayReject?: boolean
  /** Reserves a slot before the body is read; returns its release. Throws an `ApiError` if none is free. */
  readonly enter?: (caller: Caller, deps: Deps) => () => void
  /** Schemas of path parameters that are more than a string. If the handler checks the body, it checks these too. */
  readonly params?: Schema
  /** Flat: strings, numbers and booleans, converted according to the schema. */
  readonly query?: Query
  readonly body?: BodySpec<Body>
  /**
   * Values in the document's example: the path parameters, and the required parameters of the query. The example of a
   * body is the first one in its schema.
   */
  readonly example?: Readonly<Record<string, string>>
  /** Accepts an `Idempotency-Key`: the handler sends one command, and the response depends only on its outcome. */
  readonly keyed?: Keyed<Body>
  /** Responds 404 too if the body or the query refers to a missing object; paths with parameters always may. */
  readonly mayMiss?: boolean
  /** Status of a successful response; default: 200. */
  readonly status?: number
  /** 'text', 'html': a text instead of JSON; file types: `handle` returns a `FileResponse` of one of them. */
  readonly output: Output
  /** Limits of the field errors in a response; default: `defaultFieldErrorLimits`. */
  readonly fieldErrorLimits?: FieldErrorLimits
  /** Other statuses whose body has the schema of the output, too. */
  readonly otherStatuses?: readonly number[]
  readonly otherTypes?: readonly string[]
  /** Serves the route instead of `handle`, for protocols with their own rules. `readBody` reads the body. */
  readonly serve?: (
    deps: Deps,
    readBody: readonly RequestHandler[],
  ) => readonly (RequestHandler | ErrorRequestHandler)[]
  /** Handles a valid call; throws an `ApiError` for errors that the caller may see. */
  readonly handle: (call: Call<Infer<Query>, Body>, deps: Deps) => Promise<ResponseOf<Output>> | ResponseOf<Output>
}

/** How repeated requests are recognized and answered. */
export interface Keyed<Body> {
  /**
   * Returns the part of the body that must be equal in two requests with one key; default: all of it. It omits values
   * that must not be stored, not even as a hash.
   */
  sameIn?(body: Body): unknown
  /** Builds the response to a repeat with errors, for routes whose validation depends on more than the body. */
  readonly again?: (result: unknown) => unknown
}

/** Kinds of responses of a route. */
export type ResponseKind = Schema | 'text' | 'html' | FileTypes

type ResponseOf<Output extends ResponseKind> = Output extends Schema
  ? Infer<Output>
  : Output extends FileTypes
    ? FileResponse
    : string | StaticContent

/** Media types of a route's files. */
export interface FileTypes {
  readonly files: readonly string[]
}

export interface BodySpec<Body> {
  /** Never set: carries the type of the body that `handle` receives. */
  readonly type?: Body
  readonly schema: Schema
  /**
   * Place of validation: before `handle`; by `handle` itself (the schema is documentation); or by the registrar, which
   * receives the body as a command's payload. Properties that are not in the schema are kept, except in large bodies
   * that the registrar checks.
   */
  readonly checked: 'before' | 'by handler' | 'by registrar'
  /** 'raw': `handle` receives the inflated bytes; 'form': a `Form`. */
  readonly kind: 'json' | 'raw' | 'form'
  /** Schemas of the body by content type, for the document. */
  readonly content: Readonly<Record<string, Schema>>
  readonly fileField?: string
}

/** One request, as the `handle` of a route receives it. */
export interface Call<Query = unknown, Body = unknown> {
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly contentType: string | undefined
  /** Throws on a public route. */
  readonly caller: () => Caller
  /** URL at which the caller reaches this service: `https://takt.example`. */
  readonly baseUrl: string
  readonly address: string
  /** The value of a cookie that occurs once in the request. */
  readonly cookie: (name: string) => string | undefined
  readonly signal: AbortSignal
  readonly setStatus: (status: number) => void
  /** Adds a cookie to those that were set before. */
  readonly setHeader: (name: string, value: string) => void
}

/** Routes under one heading of the document. */
export interface RouteGroup<Deps = never> {
  readonly tag: string
  readonly description: string
  readonly routes: readonly Route<Deps>[]
}

/** Everything that these routes need together. */
export type DepsOf<R> = (R extends Route<infer Deps> ? (deps: Deps) => void : never) extends (deps: infer All) => void
  ? All
  : never

/**
 * Declares a route; the types of `handle` follow from the schemas and from the parameter with the required parts. `operationId`: name of
 * the function in generated clients, a verb and its object, such as `startJobRun`.
 */
export function route<Deps, Query extends Schema, Body, Output extends ResponseKind>(
  endpoint: `${Method} /${string}`,
  operationId: string,
  options: RouteOptions<Deps, Query, Body, Output>,
): Route<Deps> {
  const [method, path = ''] = endpoint.split(' ')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `mount` hands `handle` only values that the schemas let through
  return { ...options, method, path, operationId } as Route<Deps>
}

/** A word with its first letter in upper case, for an operation id. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** A JSON body that is validated against the schema. */
export function jsonBody<S extends Schema>(schema: S): BodySpec<Infer<S>> {
  return { schema, checked: 'before', kind: 'json', content: { 'application/json': schema } }
}

/** A JSON body that the handler validates. */
export function uncheckedBody(schema: Schema): BodySpec<unknown> {
  return { schema, checked: 'by handler', kind: 'json', content: { 'application/json': schema } }
}

/** A JSON body that is a command's payload, or the payload without the id; the registrar validates it. */
export function commandBody<S extends Schema>(schema: S): BodySpec<Infer<S>> {
  return { schema, checked: 'by registrar', kind: 'json', content: { 'application/json': schema } }
}

/** A body that the handler parses. */
export function rawBody(schema: Schema, content: Readonly<Record<string, Schema>>): BodySpec<Buffer> {
  return { schema, checked: 'by handler', kind: 'raw', content }
}

/** A form with a file, whose fields the handler validates. */
export function formBody(fileField: string, schema: Schema): BodySpec<Form> {
  return { schema, checked: 'by handler', kind: 'form', content: { 'multipart/form-data': schema }, fileField }
}
