import { exampleIds } from '../../schema/example-ids.ts'
import { namedList, nullSchema, type Infer, type Schema, unsafe } from '../../schema/types.ts'
import { commands, type DeletableKind, type Payload, type WritableKind } from '../../schema/commands/commands.ts'
import { type Outcome, resultOrThrow } from '../../schema/commands/command-log.ts'
import { notFound } from '../../schema/errors.ts'
import type { RecordKinds } from '../../schema/records/record-kinds.ts'
import type { CompanyKind } from '../../processors/records/record-lookups.ts'
import type { Caller } from '../auth/caller.ts'
import type { ScopeRule } from '../auth/scopes.ts'
import { capitalized, commandBody, type Route, route } from '../http/route.ts'
import type { CommandsPort, LookUpPort, RecordsPort, StorePort } from '../ports/ports.ts'
import type { JsonList } from '../json/write-json.ts'
import { sendCommand, withId } from '../commands/submit.ts'
import { findRecord, isHistoryKind } from './find-record.ts'
import { answerAll } from './page.ts'

interface Texts extends Pick<Route, 'params'> {
  readonly summary: string
  readonly description?: string
}

type RecordWithRoutes = WritableKind & DeletableKind & keyof typeof exampleIds

const verbs = ['list', 'get', 'post', 'put', 'delete'] as const

/**
 * The routes of a kind of record: those that have texts. `<kind>.put` and `<kind>.delete` are the registrar's commands. The registrar
 * validates the payloads, because it has the records to which they refer, and returns all field errors at once.
 */
interface Resource<K extends RecordWithRoutes, S extends Schema, D> extends DeletedResource<K> {
  readonly read: ScopeRule
  readonly output: S
  readonly present: (record: RecordKinds[K], deps: RecordsPort & D) => Infer<S>
  /** Checks a body before the registrar does, and returns the payload that the registrar gets. Throws an `ApiError`. */
  readonly prepare?: (body: unknown, of: Prepared, deps: RecordsPort & D) => unknown
  /** `GET` of all records. For kinds with few records per company. */
  readonly list?: Texts
  /** Order of the list; by default that of creation, which only records with a `ref` contain. */
  readonly order?: (a: RecordKinds[K], b: RecordKinds[K]) => number
  readonly get?: Texts
  /** `POST` of a new record, whose id is assigned; an id in the body is ignored. */
  readonly post?: Texts
  /** `PUT` of a record under the id in the path: creates or replaces it. */
  readonly put?: Texts
}

/** The record of a body that is prepared. */
export interface Prepared {
  readonly id: string | number | null
  readonly caller: Caller
}

interface DeletedResource<K extends DeletableKind & keyof typeof exampleIds> {
  readonly kind: K
  /** In the syntax of express: `/operators`. */
  readonly path: `/${string}`
  /** 'int': ids are numbers that the registrar assigns. */
  readonly ids?: 'int'
  readonly write: ScopeRule
  readonly delete: Texts
}

/** The declared routes of a kind of record, in the order of `verbs`. */
export function recordRoutes<K extends RecordWithRoutes, S extends Schema, D = unknown>(
  resource: Resource<K, S, D>,
): readonly Route<CommandsPort & LookUpPort & StorePort & D>[] {
  const { kind, path, read, write, output, present, prepare = body => body, order = () => 0 } = resource
  const name = capitalized(kind)
  const example = { id: String(exampleIds[kind]) }
  const schema = commandBody<Schema>(commands[`${kind}.put`].body)
  type PutDeps = CommandsPort & RecordsPort & D
  const put = async (body: unknown, id: string | number | null, caller: Caller, deps: PutDeps) => {
    const prepared = prepare(body, { id, caller }, deps)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registrar checks the payload
    const payload = withId(prepared, id) as Payload<`${K}.put`>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `WritableKind` ensures that the result is the record
    const outcome = (await sendCommand(deps, caller, `${kind}.put`, payload)) as Outcome<RecordKinds[K]>
    // Only the outcome is used, because the record may have been changed or deleted since.
    return present(resultOrThrow(outcome), deps)
  }
  const routes: Readonly<
    Record<(typeof verbs)[number], (texts: Texts) => Route<CommandsPort & LookUpPort & StorePort & D>>
  > = {
    list: texts =>
      route(`GET ${path}`, `list${name}s`, {
        ...texts,
        scope: read,
        output: unsafe<JsonList>(namedList(output)),
        handle: ({ caller }, deps: RecordsPort & D) =>
          answerAll(deps.records.list(kind, caller().company.id).toSorted(order), record => present(record, deps)),
      }),
    get: texts =>
      route(`GET ${path}/:id`, `get${name}`, {
        ...texts,
        example,
        scope: read,
        output,
        handle: async ({ caller, params }, deps: LookUpPort & StorePort & D) =>
          present(await lookUpRecord(deps, caller(), kind, params['id'] ?? ''), deps),
      }),
    post: texts =>
      route(`POST ${path}`, `create${name}`, {
        ...texts,
        scope: write,
        body: schema,
        keyed: {},
        output,
        handle: ({ caller, body }, deps: PutDeps) => put(body, null, caller(), deps),
      }),
    put: texts =>
      route(`PUT ${path}/:id`, `put${name}`, {
        ...texts,
        example,
        scope: write,
        body: schema,
        output,
        handle: ({ caller, params, body }, deps: PutDeps) => put(body, idOf(resource, params), caller(), deps),
      }),
    delete: () => deleteRecord(resource),
  }
  return verbs.flatMap(verb => (resource[verb] ? [routes[verb](resource[verb])] : []))
}

/** `DELETE` of a record by its id; responds with null. */
export function deleteRecord<K extends DeletableKind & keyof typeof exampleIds>(
  resource: DeletedResource<K>,
): Route<CommandsPort> {
  const { kind, path, write } = resource
  return route(`DELETE ${path}/:id`, `delete${capitalized(kind)}`, {
    ...resource.delete,
    example: { id: String(exampleIds[kind]) },
    scope: write,
    output: nullSchema,
    async handle({ caller, params }, deps: CommandsPort) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registrar checks whether the id is a string or an int
      const payload = { id: idOf(resource, params) } as Payload<`${DeletableKind}.delete`>
      const outcome = await sendCommand<`${DeletableKind}.delete`>(deps, caller(), `${kind}.delete`, payload)
      // The id is the only field, so no record can have it.
      if (!outcome.ok && outcome.error.status === 400) throw notFound()
      return resultOrThrow(outcome)
    },
  })
}

/** Finds a record of the caller's company, in the log or in the store too, before it throws 404. */
export async function lookUpRecord<K extends CompanyKind>(
  deps: LookUpPort & StorePort,
  { company }: Caller,
  kind: K,
  id: string,
): Promise<RecordKinds[K]> {
  const { records, catchUpRecords } = deps
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record is of this kind
  if (isHistoryKind(kind))
    return orNotFound((await findRecord(deps, company.id, kind, id, {})) as RecordKinds[K] | null)
  if (!records.get(kind, company.id, id)) await catchUpRecords()
  return orNotFound(records.get(kind, company.id, id))
}

function orNotFound<T>(record: T | null): T {
  if (record === null) throw notFound()
  return record
}

/** The record without its company, for responses. */
export function withoutCompany<T extends { readonly companyId: string }>(record: T): Omit<T, 'companyId'> {
  const { companyId: _, ...shown } = record
  return shown
}

/** The id in the path. A string that is not an int stays as it is, so that the registrar rejects it. */
function idOf({ ids }: { readonly ids?: 'int' }, { id = '' }: Readonly<Record<string, string>>): string | number {
  return ids === 'int' && /^\d{1,15}$/.test(id) ? Number(id) : id
}
