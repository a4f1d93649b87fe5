import { namedList, nullSchema, type Infer, type Schema, unsafe } from '../../schema/types.ts'
import { commands, type DeleteKind, type Payload, type PutKind } from '../../schema/commands/commands.ts'
import { type Outcome, resultOrThrow } from '../../schema/commands/command-log.ts'
import { notFound } from '../../schema/errors.ts'
import type { RecordKinds } from '../../schema/records/record-kinds.ts'
import type { CompanyKind } from '../../processors/records/records.ts'
import type { Caller } from '../auth/caller.ts'
import type { ScopeRule } from '../auth/scopes.ts'
import { capitalized, commandBody, type Route, route } from '../http/route.ts'
import type { CommandsPort, LookUpPort, RecordsPort } from '../ports/ports.ts'
import type { JsonList } from '../json/json-list.ts'
import { sendCommand, type Requester, type Params, withId } from '../commands/submit.ts'
import { answerAll } from './page.ts'

/**
 * The routes of a kind of record. `<kind>.put` and `<kind>.delete` are the registrar's commands. The registrar
 * validates the payloads, because it has the records to which they refer, and returns all field errors at once.
 */
export interface Resource<K extends PutKind & DeleteKind, S extends Schema> {
  readonly kind: K
  /** In the syntax of express: `/operators`. */
  readonly path: string
  /** 'int': ids are numbers that the registrar assigns. */
  readonly ids?: 'int'
  readonly read: ScopeRule
  readonly write: ScopeRule
  readonly output: S
  readonly present: (record: RecordKinds[K], deps: RecordsPort) => Infer<S>
  /** Id in the document's examples. */
  readonly exampleId: string | number
}

interface Texts {
  readonly summary: string
  readonly description?: string
}

/** `GET` of all records, oldest first. For kinds with few records per company. */
export function listRecords<K extends PutKind & DeleteKind, S extends Schema>(
  resource: Resource<K, S>,
  texts: Texts,
): Route<RecordsPort> {
  return route({
    ...texts,
    method: 'GET',
    path: resource.path,
    operationId: `list${capitalized(resource.kind)}s`,
    scope: resource.read,
    output: unsafe<JsonList>(namedList(resource.output)),
    handle: ({ caller }, deps: RecordsPort) =>
      answerAll(deps.records.list(resource.kind, caller().company.id), record => resource.present(record, deps)),
  })
}

/** `GET` of one record by its id. */
export function getRecord<K extends PutKind & DeleteKind, S extends Schema>(
  resource: Resource<K, S>,
  texts: Texts,
): Route<LookUpPort> {
  return route({
    ...texts,
    method: 'GET',
    path: `${resource.path}/:id`,
    operationId: `get${capitalized(resource.kind)}`,
    example: { id: String(resource.exampleId) },
    scope: resource.read,
    output: resource.output,
    handle: async ({ caller, params }, deps: LookUpPort) =>
      resource.present(await lookUpRecord(deps, caller(), resource.kind, params['id'] ?? ''), deps),
  })
}

/** `POST` of a new record, whose id is assigned; an id in the body is ignored. */
export function postRecord<K extends PutKind & DeleteKind, S extends Schema>(
  resource: Resource<K, S>,
  texts: Texts,
): Route<CommandsPort & RecordsPort> {
  return route({
    ...texts,
    method: 'POST',
    path: resource.path,
    operationId: `create${capitalized(resource.kind)}`,
    scope: resource.write,
    body: commandBody<Schema>(commands[`${resource.kind}.put`].body),
    keyed: {},
    output: resource.output,
    async handle({ caller, body }, deps: CommandsPort & RecordsPort) {
      return resource.present(resultOrThrow(await sendPut(deps, caller(), resource.kind, withId(body, null))), deps)
    },
  })
}

/** `PUT` of a record under the id in the path: creates or replaces it. */
export function putRecord<K extends PutKind & DeleteKind, S extends Schema>(
  resource: Resource<K, S>,
  texts: Texts,
): Route<CommandsPort & RecordsPort> {
  return route({
    ...texts,
    method: 'PUT',
    path: `${resource.path}/:id`,
    operationId: `put${capitalized(resource.kind)}`,
    example: { id: String(resource.exampleId) },
    scope: resource.write,
    body: commandBody<Schema>(commands[`${resource.kind}.put`].body),
    output: resource.output,
    async handle({ caller, params, body }, deps: CommandsPort & RecordsPort) {
      // Only the outcome is used, because the record may have been changed or deleted since.
      const put = resultOrThrow(await sendPut(deps, caller(), resource.kind, withId(body, idOf(resource, params))))
      return resource.present(put, deps)
    },
  })
}

/** `DELETE` of a record by its id; responds with null. */
export function deleteRecord(
  resource: Pick<Resource<PutKind & DeleteKind, Schema>, 'path' | 'ids' | 'write' | 'exampleId'> & {
    readonly kind: DeleteKind
  },
  texts: Texts,
): Route<CommandsPort> {
  return route({
    ...texts,
    method: 'DELETE',
    path: `${resource.path}/:id`,
    operationId: `delete${capitalized(resource.kind)}`,
    example: { id: String(resource.exampleId) },
    scope: resource.write,
    output: nullSchema,
    async handle({ caller, params }, deps: CommandsPort) {
      const outcome = await sendDelete(deps, caller(), resource.kind, idOf(resource, params))
      // The id is the only field, so no record can have it.
      if (!outcome.ok && outcome.error.status === 400) throw notFound()
      return resultOrThrow(outcome)
    },
  })
}

/** The record of the caller's company; throws 404 if it does not exist. */
function findRecord<K extends CompanyKind>(
  { records }: RecordsPort,
  { company }: Caller,
  kind: K,
  id: string,
): RecordKinds[K] {
  const record = records.get(kind, company.id, id)
  if (!record) throw notFound()
  return record
}

/**
 * Finds a record as `findRecord` does, including one that another process has just created: it reads the log to its end
 * before it throws 404.
 */
export async function lookUpRecord<K extends CompanyKind>(
  deps: LookUpPort,
  caller: Caller,
  kind: K,
  id: string,
): Promise<RecordKinds[K]> {
  if (!deps.records.get(kind, caller.company.id, id)) await deps.catchUpRecords()
  return findRecord(deps, caller, kind, id)
}

/** The record without its company, for responses. */
export function withoutCompany<T extends { readonly companyId: string }>(record: T): Omit<T, 'companyId'> {
  const { companyId: _, ...shown } = record
  return shown
}

/**
 * Sends `<kind>.put`, whose result is the record. `PutKind` ensures that, but the compiler cannot derive it for a
 * variable kind.
 */
function sendPut<K extends PutKind>(
  deps: CommandsPort,
  caller: Requester,
  kind: K,
  payload: unknown,
): Promise<Outcome<RecordKinds[K]>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above; the registrar checks the payload
  return sendCommand(deps, caller, `${kind}.put`, payload as Payload<`${K}.put`>) as Promise<Outcome<RecordKinds[K]>>
}

/** Sends `<kind>.delete`. */
function sendDelete(
  deps: CommandsPort,
  caller: Requester,
  kind: DeleteKind,
  id: string | number,
): Promise<Outcome<null>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whether ids of the kind are texts or ints, the registrar checks
  return sendCommand(deps, caller, `${kind}.delete`, { id } as Payload<`${DeleteKind}.delete`>)
}

/** The id in the path. A string that is not an int stays as it is, so that the registrar rejects it. */
function idOf({ ids }: Pick<Resource<PutKind & DeleteKind, Schema>, 'ids'>, { id = '' }: Params): string | number {
  return ids === 'int' && /^\d{1,15}$/.test(id) ? Number(id) : id
}
