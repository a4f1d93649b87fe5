import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Of, Schema } from '../../schema/types.ts'
import type { Caller } from '../auth/caller.ts'
import type { AccessRule } from '../auth/scopes.ts'
import type { FaultBounds } from './errors.ts'
import type { FileAnswer } from './file.ts'
import type { StaticContent } from '../static/static-content.ts'
import type { Form } from './upload.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * A route as data: the server, the OpenAPI document and the tests all read the same declaration. `Deps`: parts of the process that it
 * needs. Any route is a `Route`; nobody who holds no more can have it answer.
 */
export interface Route<
  Deps = never,
  Query extends Schema = Schema,
  Body = unknown,
  Output extends AnswerKind = AnswerKind,
> {
  readonly method: Method
  /** As express writes it: `/machines/:id`. */
  readonly path: string
  /** Name of the function in generated clients: a verb, then what it acts on, such as `startJobRun`. */
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** 'public': needs no key. */
  readonly scope: AccessRule | 'public'
  /** A public route that may be refused as others are: 401, 403, 429, 503. */
  readonly refuses?: boolean
  /**
   * Takes a place before the body is read; returns the function that gives it back. Throws an `ApiError` where no place
   * is free.
   */
  readonly enter?: (caller: Caller, deps: Deps) => () => void
  /** Properties of the path that must fit more than "a text". Where the handler checks the body, it checks them too. */
  readonly params?: Schema
  /** Flat: texts, numbers and booleans, converted as the schema says. */
  readonly query?: Query
  readonly body?: BodySpec<Body>
  /**
   * Values in the document's example: the path's parameters, and the required ones of the query. The example of a body
   * is the first one of its schema.
   */
  readonly example?: Readonly<Record<string, string>>
  /**
   * A POST that takes an `Idempotency-Key`. Its handler has the registrar do one command, and makes the answer from the
   * outcome of that command alone.
   */
  readonly keyed?: Keyed<Body>
  /** Answers 404 too where the body or the query names what isn't there; paths with parameters always may. */
  readonly mayMiss?: boolean
  /**
   * Whether a request ends the rests of the partitions: its answer shows what is made of the samples, or it changes that. By default
   * a GET does not, and all others do.
   */
  readonly asksSamples?: boolean
  /** Status of the answer when all is well; 200 unless given. */
  readonly status?: number
  /** 'text', 'html': a text instead of JSON; file types: `handle` answers a `FileAnswer` of one of them. */
  readonly output: Output
  /** How many faults an answer names, and its bytes; `ordinaryFaults` unless given. */
  readonly faults?: FaultBounds
  /** Other statuses whose body is the output's too. */
  readonly otherStatuses?: readonly number[]
  /** Media types of the answer beside JSON. */
  readonly otherTypes?: readonly string[]
  /**
   * Serves the route in place of `handle`, for protocols with rules of their own: it also checks who asks, and writes
   * the answer. Gets the handlers that read the body.
   */
  readonly serve?: (
    deps: Deps,
    readBody: readonly RequestHandler[],
  ) => readonly (RequestHandler | ErrorRequestHandler)[]
  /** Answers a call that fits the schemas; throws an `ApiError` for faults that the caller may know. */
  readonly handle: (call: Call<Of<Query>, Body>, deps: Deps) => Promise<AnswerOf<Output>> | AnswerOf<Output>
}

/** How a repeated request is known and answered. */
export interface Keyed<Body> {
  /**
   * Returns the part of the body in which two requests with one key must agree; all of it unless given. Leaves out
   * values that must not be kept, not even as a hash.
   */
  sameIn?(body: Body): unknown
  /**
   * Makes the answer from the result of the first command where the repeat has faults: for routes whose faults depend
   * on more than the body.
   */
  readonly again?: (result: unknown) => unknown
}

/** Kinds of answers of a route. */
export type AnswerKind = Schema | 'text' | 'html' | FileTypes

type AnswerOf<Output extends AnswerKind> = Output extends Schema
  ? Of<Output>
  : Output extends FileTypes
    ? FileAnswer
    : string | StaticContent

/** Media types of the files that a route answers with. */
export interface FileTypes {
  readonly files: readonly string[]
}

export interface BodySpec<Body> {
  /** Never set: carries the type of the body that `handle` gets. */
  readonly type?: Body
  readonly schema: Schema
  /**
   * Where the body is checked against the schema: before `handle`; by `handle` itself (the schema is for the docs); or
   * by the registrar, to which `handle` gives the body as a command's payload. Properties that the schema does not name
   * are kept, but for large bodies that the registrar checks.
   */
  readonly checked: 'before' | 'by handler' | 'by registrar'
  /** 'raw': `handle` gets the inflated bytes as they came; 'form': a `Form`. */
  readonly kind: 'json' | 'raw' | 'form'
  /** Schemas of the body by its content type, as the document shows them. */
  readonly content: Readonly<Record<string, Schema>>
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
  /** Address by which the caller reaches this service: `https://takt.example`. */
  readonly baseUrl: string
  /** The caller's address, as limits by address count it. */
  readonly address: string
  /** The value of a cookie that came with the request, once. */
  readonly cookie: (name: string) => string | undefined
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  readonly setStatus: (status: number) => void
  /** A cookie is set beside those that were set before. */
  readonly setHeader: (name: string, value: string) => void
}

/** Routes under one heading of the document. */
export interface RouteGroup<Deps = never> {
  readonly tag: string
  readonly description: string
  readonly routes: readonly Route<Deps>[]
}

/** All that these routes need together. */
export type DepsOf<R> = (R extends Route<infer Deps> ? (deps: Deps) => void : never) extends (deps: infer All) => void
  ? All
  : never

/** Declares a route; what `handle` gets follows from the schemas, and what the route needs from the parameters that take it. */
export function route<Deps, Query extends Schema, Body, Output extends AnswerKind>(
  declared: Route<Deps, Query, Body, Output>,
): Route<Deps> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `mount` hands `handle` only values that the schemas let through
  return declared as Route<Deps>
}

/** Whether a request to the route ends the rests of the partitions. */
export function asksSamples({ method, asksSamples: declared }: Route): boolean {
  return declared ?? method !== 'GET'
}

/** A word with its first letter in upper case, for an operation id. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** A JSON body that fits the schema. */
export function jsonBody<S extends Schema>(schema: S): BodySpec<Of<S>> {
  return { schema, checked: 'before', kind: 'json', content: { 'application/json': schema } }
}

/** A JSON body that the handler checks by rules of its own. */
export function uncheckedBody(schema: Schema): BodySpec<unknown> {
  return { schema, checked: 'by handler', kind: 'json', content: { 'application/json': schema } }
}

/**
 * A JSON body that is a command's payload, or the payload without the id. The registrar checks it: only then is it sure
 * to be of the type.
 */
export function commandBody<S extends Schema>(schema: S): BodySpec<Of<S>> {
  return { schema, checked: 'by registrar', kind: 'json', content: { 'application/json': schema } }
}

/** A body that the handler reads itself. */
export function rawBody(schema: Schema, content: Readonly<Record<string, Schema>>): BodySpec<Buffer> {
  return { schema, checked: 'by handler', kind: 'raw', content }
}

/** A form with a file, whose fields the handler checks. */
export function formBody(fileField: string, schema: Schema): BodySpec<Form> {
  return { schema, checked: 'by handler', kind: 'form', content: { 'multipart/form-data': schema }, fileField }
}
