import { isDeepStrictEqual } from 'node:util'
import { type Checked, checkerOf } from '../../../schema/check.ts'
import { type CommandName, commands, type Payload, type Result } from '../../../schema/commands/commands.ts'
import type { Change, RecordKind, RecordKinds } from '../../../schema/records/record-kinds.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { Fault } from '../../../schema/errors.ts'
import type { Schema } from '../../../schema/types.ts'
import { runSync, type Steps } from '../../../shared/async/steps.ts'
import type { CompanyKind, Records } from '../../records/records.ts'
import { Refusal, invalid, missing } from './refusal.ts'
import type { RefKind, Refs } from './refs.ts'

/** The facts that a command decides from: the records as they are, and what its sender drew. Deciding changes none of it. */
export interface Context {
  readonly records: Records
  readonly nowMs: number
  /** `nowMs` as an instant. */
  readonly now: string
  /** null: the installation itself asks. */
  readonly company: CompanyRecord | null
  /** Another int that was never given out. */
  readonly nextRef: (kind: RefKind) => number
  readonly refs: Pick<Refs, 'nextOfCompany' | 'wasGiven'>
  /** Another UUID of the command's own. */
  readonly freshId: () => string
}

export interface CompanyContext extends Context {
  readonly company: CompanyRecord
}

/** The changes and the answer of a command; a `Refusal` thrown is its other outcome. */
export interface Decision<R = unknown> {
  readonly changes: readonly Change[]
  readonly result: R
}

/** A command of the catalogue. */
export interface CommandSpec {
  readonly name: CommandName
  /** Checks the payload, then decides, in steps between which nothing else is decided or folded; pure. Throws a `Refusal`. */
  readonly run: (payload: unknown, context: Context) => Steps<Decision>
}

/** The outcome of a command at once, or in steps where there may be very much to decide. */
type Deciding<R> = Decision<R> | Steps<Decision<R>>

/** How a very large payload is cut into pieces, each of which fits the schema where the whole does: they are checked one by one. */
type Cut = (payload: unknown) => Iterable<unknown>

/** A command on a company's records. `decide` gets only payloads that fit the command's schema. */
export function companyCommand<Name extends CommandName>(
  name: Name,
  decide: (payload: Payload<Name>, context: CompanyContext) => Deciding<Result<Name>>,
  cut: Cut = payload => [payload],
): CommandSpec {
  const decideForCompany = (payload: Payload<Name>, context: Context): Deciding<Result<Name>> => {
    const { company } = context
    if (!company) throw missing('The company does not exist')
    return decide(payload, { ...context, company })
  }
  return installationCommand(name, decideForCompany, cut)
}

/** A command of the installation itself. */
export function installationCommand<Name extends CommandName>(
  name: Name,
  decide: (payload: Payload<Name>, context: Context) => Deciding<Result<Name>>,
  cut: Cut = payload => [payload],
): CommandSpec {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a name and its schema belong together, which the compiler does not follow
  const check = checkerOf(commands[name].payload as Schema) as Check<Payload<Name>>
  return {
    name,
    *run(payload, context) {
      const decideOn = (fitting: Payload<Name>): Steps<Decision> => stepsOf(() => decide(fitting, context))
      const checked = yield* checking(payload, check, cut)
      if ('value' in checked) return yield* decideOn(checked.value)
      const { faults, more } = checked
      throw invalid([...faults, ...faultsOfRest(payload, faults, check, decideOn)], undefined, more)
    },
  }
}

type Check<P> = (payload: unknown) => Checked<P>

/** The faults name their places in the whole, so it is checked as one where a piece has any. */
function* checking<P>(payload: unknown, check: Check<P>, cut: Cut): Steps<Checked<P>> {
  for (const piece of cut(payload)) {
    const checked = check(piece)
    if (!('value' in checked)) return piece === payload ? checked : check(payload)
    if (piece === payload) return checked
    yield
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of its pieces fit
  return { faults: [], value: payload as P }
}

function* stepsOf<R>(decide: () => Deciding<R>): Steps<Decision<R>> {
  const deciding = decide()
  return 'changes' in deciding ? deciding : yield* deciding
}

/**
 * Field errors that appear only when the command is decided, of the fields that match the schema, so that the response
 * lists all errors.
 */
function faultsOfRest<P>(
  payload: unknown,
  faults: readonly Fault[],
  check: Check<P>,
  decide: (payload: P) => Steps<Decision>,
): readonly Fault[] {
  const unfit = new Set(faults.map(({ field }) => /^[^.[]*/.exec(field)?.[0]))
  const rest = check(Object.fromEntries(Object.entries(payload ?? {}).filter(([field]) => !unfit.has(field))))
  if (!('value' in rest)) return []
  const refusal = refusalOf(() => runSync(decide(rest.value)))
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

/** The change from one state of a record to another; none if they are equal. */
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
): Decision<RecordKinds[K]> {
  return { changes: changeTo(kind, id, before, after), result: after }
}

/** Deletes a record of the company and returns null; 404 if it does not exist. */
export function remove(kind: CompanyKind, id: string | number, { records, company }: CompanyContext): Decision<null> {
  const before = records.get(kind, company.id, id)
  if (!before) throw missing()
  return { changes: changeTo(kind, String(before.id), before, null), result: null }
}
