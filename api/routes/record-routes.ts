import { namedList, nothing, type Of, type Schema, unsafe } from '../../schema/types.ts'
import { ApiError, notFound } from '../../schema/errors.ts'
import type { RecordKinds } from '../../schema/records.ts'
import type { CompanyKind } from '../../processors/records/records.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { ScopeRule } from '../auth/scopes.ts'
import { type BodySpec, type Route, commandBody, route } from '../http/route.ts'
import type { ApiDeps } from '../ports.ts'
import type { JsonList } from '../json/json-list.ts'
import { type Params, submit, withId } from '../commands/submit.ts'
import { answerAll } from './page.ts'

/** Records of a kind as the interface has them; `<kind>.put` and `<kind>.delete` are the registrar's commands. */
export interface Resource<K extends CompanyKind, S extends Schema> {
  readonly kind: K
  /** As express writes it: `/operators`. */
  readonly path: string
  /** 'int': ids are numbers that the registrar gives out. */
  readonly ids?: 'int'
  readonly read: ScopeRule
  readonly write: ScopeRule
  /** Shown in the docs; the registrar checks the body, as it knows what that refers to and lists every fault at once. */
  readonly input: Schema
  readonly output: S
  readonly present: (record: RecordKinds[K], deps: ApiDeps) => Of<S>
  /** Id in the document's examples. */
  readonly exampleId: string | number
}

export interface Texts {
  readonly summary: string
  readonly description?: string
}

/** `GET` of all of them, in the order in which they were made. For kinds of which a company has few. */
export function listRecords<K extends CompanyKind, S extends Schema>(resource: Resource<K, S>, texts: Texts): Route {
  return route({
    ...texts,
    method: 'GET',
    path: resource.path,
    scope: resource.read,
    output: unsafe<JsonList>(namedList(resource.output)),
    handle: ({ caller }, deps) =>
      answerAll(deps.records.list(resource.kind, caller().company.id), record => resource.present(record, deps)),
  })
}

/** `GET` of one by its id. */
export function getRecord<K extends CompanyKind, S extends Schema>(resource: Resource<K, S>, texts: Texts): Route {
  return route({
    ...texts,
    method: 'GET',
    path: `${resource.path}/:id`,
    example: { id: String(resource.exampleId) },
    scope: resource.read,
    output: resource.output,
    handle: async ({ caller, params }, deps) =>
      resource.present(await lookUpRecord(deps, caller(), resource.kind, params['id'] ?? ''), deps),
  })
}

/** `POST` of a new one, whose id is given out; an id in the body is ignored. */
export function postRecord<K extends CompanyKind, S extends Schema>(resource: Resource<K, S>, texts: Texts): Route {
  return route({
    ...texts,
    method: 'POST',
    path: resource.path,
    scope: resource.write,
    body: recordBody(resource.input),
    keyed: {},
    output: resource.output,
    async handle({ caller, body }, deps) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the command answers
      const made = (await submit(deps, caller(), `${resource.kind}.put`, withoutId(body))) as RecordKinds[K]
      return resource.present(made, deps)
    },
  })
}

/** `PUT` of one under the id in the path: creates or replaces it. */
export function putRecord<K extends CompanyKind, S extends Schema>(resource: Resource<K, S>, texts: Texts): Route {
  return route({
    ...texts,
    method: 'PUT',
    path: `${resource.path}/:id`,
    example: { id: String(resource.exampleId) },
    scope: resource.write,
    body: recordBody(resource.input),
    output: resource.output,
    async handle({ caller, params, body }, deps) {
      const put = await submit(deps, caller(), `${resource.kind}.put`, withIdOf(resource, body, params))
      return answer(resource, idOf(put), caller(), deps)
    },
  })
}

/** `DELETE` of one by its id; answers null. */
export function deleteRecord(
  resource: Pick<Resource<CompanyKind, Schema>, 'kind' | 'path' | 'ids' | 'write' | 'exampleId'>,
  texts: Texts,
): Route {
  return route({
    ...texts,
    method: 'DELETE',
    path: `${resource.path}/:id`,
    example: { id: String(resource.exampleId) },
    scope: resource.write,
    output: nothing,
    async handle({ caller, params }, deps) {
      try {
        await submit(deps, caller(), `${resource.kind}.delete`, withIdOf(resource, null, params))
      } catch (error) {
        // The id is all there is to find fault with: nothing can have this one.
        throw error instanceof ApiError && error.status === 400 ? notFound() : error
      }
      return null
    },
  })
}

/** The record of the caller's company; throws 404 where it has none. */
export function findRecord<K extends CompanyKind>(
  { records }: Pick<ApiDeps, 'records'>,
  { company }: Caller,
  kind: K,
  id: string,
): RecordKinds[K] {
  const record = records.get(kind, company.id, id)
  if (!record) throw notFound()
  return record
}

/** The same of a record that another process may have told of: a caller who was told that it is there finds it anywhere. */
export async function lookUpRecord<K extends CompanyKind>(
  deps: Pick<ApiDeps, 'records' | 'catchUpRecords'>,
  caller: Caller,
  kind: K,
  id: string,
): Promise<RecordKinds[K]> {
  if (!deps.records.get(kind, caller.company.id, id)) await deps.catchUpRecords()
  return findRecord(deps, caller, kind, id)
}

/** A record as its own company sees it. */
export function withoutCompany<T extends { readonly companyId: string }>(record: T): Omit<T, 'companyId'> {
  const { companyId: _, ...shown } = record
  return shown
}

/** Id of the record that a command answered. */
export function idOf(result: unknown): string {
  const id = typeof result === 'object' && result !== null && 'id' in result ? result.id : null
  if (typeof id !== 'string' && typeof id !== 'number') throw new TypeError('invariant: the command answers no record')
  return String(id)
}

function answer<K extends CompanyKind, S extends Schema>(
  { kind, present }: Resource<K, S>,
  id: string,
  caller: Caller,
  deps: ApiDeps,
): Of<S> {
  return present(findRecord(deps, caller, kind, id), deps)
}

/** An id that is no int is left as it is, for the registrar to find fault with. */
function withIdOf({ ids }: Pick<Resource<CompanyKind, Schema>, 'ids'>, body: unknown, params: Params): unknown {
  return withId(body, params, text => (ids === 'int' && isInt(text) ? Number(text) : text))
}

/** Of whatever kind: nothing is known of it until the registrar has checked it. */
function recordBody(input: Schema): BodySpec<unknown> {
  return commandBody(input)
}

function withoutId(body: unknown): unknown {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body, id: null } : body
}

function isInt(id: string | undefined): boolean {
  return id !== undefined && /^\d{1,15}$/.test(id)
}
