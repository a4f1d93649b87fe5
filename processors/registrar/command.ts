import { isDeepStrictEqual } from 'node:util'
import type { Change, CompanyRecord, Fault, RecordKind, RecordKinds } from '../../schema/records.ts'
import type { CompanyKind, Records } from '../records/records.ts'
import { type PayloadSchema, payloadParser } from './payload.ts'
import { Refusal, invalid, missing } from './refusal.ts'
import type { RefKind, Refs } from './refs.ts'

/** What a command decides from: the records as they are, and what its sender drew. Deciding changes none of it. */
export interface Context {
  readonly records: Records
  readonly nowMs: number
  /** `nowMs` as an instant. */
  readonly now: string
  /** null: the installation itself asks. */
  readonly company: CompanyRecord | null
  /** Another int that was never given out. */
  readonly nextRef: (kind: RefKind) => number
  readonly ownerOf: Refs['ownerOf']
  /** Another UUID of the command's own. */
  readonly freshId: () => string
}

export interface CompanyContext extends Context {
  readonly company: CompanyRecord
}

/** What a command does and answers; a `Refusal` thrown is its other outcome. */
export interface Decision {
  readonly changes: readonly Change[]
  readonly result: unknown
}

/** A command of the catalogue. */
export interface CommandSpec {
  readonly name: string
  /** Checks the payload, then decides; pure. Throws a `Refusal`. */
  readonly run: (payload: unknown, context: Context) => Decision
}

/** A command on a company's records. `decide` gets only payloads that fit the schema. */
export function companyCommand<P>(
  name: string,
  schema: PayloadSchema<P>,
  decide: (payload: P, context: CompanyContext) => Decision,
): CommandSpec {
  return installationCommand(name, schema, (payload, context) => {
    const { company } = context
    if (!company) throw missing('The company does not exist')
    return decide(payload, { ...context, company })
  })
}

/** A command of the installation itself. */
export function installationCommand<P>(
  name: string,
  schema: PayloadSchema<P>,
  decide: (payload: P, context: Context) => Decision,
): CommandSpec {
  const parse = payloadParser(schema)
  return {
    name,
    run(payload, context) {
      const decideOn = (fitting: P): Decision => decide(fitting, context)
      const parsed = parsedOr(payload, parse)
      if (!(parsed instanceof Refusal)) return decideOn(parsed)
      const { errors, more } = parsed.error
      throw invalid([...errors, ...faultsOfRest(payload, parsed, parse, decideOn)], undefined, more)
    },
  }
}

function parsedOr<P>(payload: unknown, parse: (payload: unknown) => P): P | Refusal {
  try {
    return parse(payload)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Faults that show only when the command is decided, of the fields that do fit the schema: so that all are told at once. */
function faultsOfRest<P>(
  payload: unknown,
  { error: { errors } }: Refusal,
  parse: (payload: unknown) => P,
  decide: (payload: P) => Decision,
): readonly Fault[] {
  const unfit = new Set(errors.map(({ field }) => /^[^.[]*/.exec(field)?.[0]))
  const rest = Object.fromEntries(Object.entries(payload ?? {}).filter(([field]) => !unfit.has(field)))
  if (refusalOf(() => parse(rest))) return []
  const refusal = refusalOf(() => decide(parse(rest)))
  return refusal?.error.status === 400 ? refusal.error.errors : []
}

function refusalOf(work: () => unknown): Refusal | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** The change from one state of a record to another; none where they are equal. */
export function changeTo<K extends RecordKind>(
  kind: K,
  id: string | number,
  before: RecordKinds[K] | null,
  after: RecordKinds[K] | null,
): Change[] {
  if (isDeepStrictEqual(before, after)) return []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and records agree by the signature
  return [{ kind, id: String(id), before, after } as Change]
}

/** Stores the record and answers it. */
export function put<K extends RecordKind>(
  kind: K,
  id: string | number,
  before: RecordKinds[K] | null,
  after: RecordKinds[K],
): Decision {
  return { changes: changeTo(kind, id, before, after), result: after }
}

/** Deletes a record of the company and answers null; 404 where it has none. */
export function remove(kind: CompanyKind, id: string | number, { records, company }: CompanyContext): Decision {
  const before = records.get(kind, company.id, id)
  if (!before) throw missing()
  return { changes: changeTo(kind, String(before.id), before, null), result: null }
}
