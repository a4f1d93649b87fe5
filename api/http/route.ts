import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Of, Schema } from '../../schema/types.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { AccessRule } from '../auth/scopes.ts'
import type { ApiDeps } from '../ports.ts'
import type { FaultBounds } from './errors.ts'
import type { FileAnswer } from './file.ts'
import type { Form } from './upload.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route as data: the server, the OpenAPI document and the tests all read the same declaration. */
export interface Route<Query extends Schema = Schema, Body = unknown, Output extends Answer = Answer> {
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
  readonly params?: Schema
  /** Flat: texts, numbers and booleans, converted as the schema says. */
  readonly query?: Query
  readonly body?: BodySpec<Body>
  /** Values of the path's parameters, and of those of the query that are required, in the document's example. A body's is the first example of its schema. */
  readonly example?: Readonly<Record<string, string>>
  /** A POST that takes an `Idempotency-Key`: its handler has the registrar do one command, and answers from what that came to alone. */
  readonly keyed?: Keyed<Body>
  /** Answers 404 too where the body or the query names what isn't there; paths with parameters always may. */
  readonly mayMiss?: boolean
  /** Of the answer when all is well; 200 unless given. */
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
   * Serves the route in place of `handle`, who asks and how it is answered included: for protocols with rules of their own. Gets what
   * reads the body.
   */
  readonly serve?: (
    deps: ApiDeps,
    readBody: readonly RequestHandler[],
  ) => readonly (RequestHandler | ErrorRequestHandler)[]
  /** Gets what the schemas let through; throws an `ApiError` for what the caller may know. */
  handle(call: Call<Of<Query>, Body>, deps: ApiDeps): Promise<AnswerOf<Output>> | AnswerOf<Output>
}

/** How a repeated request is known and answered. */
export interface Keyed<Body> {
  /** What of the body two requests with one key must agree in; all of it unless given. Leaves out what must not be kept, not even as a hash. */
  sameIn?(body: Body): unknown
  /** The answer, made from the first command's result, where the repeat itself was found at fault: for routes whose faults depend on more than the body. */
  readonly again?: (result: unknown) => unknown
}

/** Kinds of answers of a route. */
export type Answer = Schema | 'text' | 'html' | FileTypes

type AnswerOf<Output extends Answer> = Output extends Schema
  ? Of<Output>
  : Output extends FileTypes
    ? FileAnswer
    : string

/** Media types of the files that a route answers with. */
export interface FileTypes {
  readonly files: readonly string[]
}

export interface BodySpec<Body> {
  /** Never there: carries the type of what `handle` gets. */
  readonly type?: Body
  readonly schema: Schema
  /**
   * Where the body is checked against the schema: before `handle`; by `handle` itself (the schema is for the docs); or by the registrar,
   * which `handle` hands it to as a command's payload. Of the second, properties that the schema does not name are kept.
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
  /** What the caller reaches this service by: `https://takt.example`. */
  readonly baseUrl: string
  /** Stands for where the caller is in what is counted by address. */
  readonly address: string
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  readonly setStatus: (status: number) => void
  readonly setHeader: (name: string, value: string) => void
}

/** Routes under one heading of the document. */
export interface RouteGroup {
  readonly tag: string
  readonly description: string
  readonly routes: readonly Route[]
}

/** Declares a route; what `handle` gets follows from the schemas. */
export function route<Query extends Schema, Body, Output extends Answer>(declared: Route<Query, Body, Output>): Route {
  // Sound as long as only what the schemas let through is handed to `handle`, which `mount` sees to.
  return declared
}

/** A JSON body that fits the schema. */
export function jsonBody<S extends Schema>(schema: S): BodySpec<Of<S>> {
  return { schema, checked: 'before', kind: 'json', content: { 'application/json': schema } }
}

/** A JSON body that the handler checks by rules of its own. */
export function uncheckedBody(schema: Schema): BodySpec<unknown> {
  return { schema, checked: 'by handler', kind: 'json', content: { 'application/json': schema } }
}

/** A JSON body that is a command's payload, or its payload without the id: it is of the type as far as the registrar, which checks it, says so. */
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
