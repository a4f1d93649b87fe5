import { isDeepStrictEqual } from 'node:util'
import { type Checked, createChecker } from '../../../schema/check.ts'
import { type CommandName, commands, type Payload, type Result } from '../../../schema/commands/commands.ts'
import { type Change, changeBetween, type RecordKind, type RecordKinds } from '../../../schema/records/record-kinds.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { FieldError } from '../../../schema/errors.ts'
import type { Schema } from '../../../schema/types.ts'
import { runSync, type Steps } from '../../../shared/async/steps.ts'
import { isTimedKind } from '../../records/machine-histories.ts'
import type { CompanyKind } from '../../records/record-lookups.ts'
import type { Records } from '../../records/records.ts'
import { CommandRejection, invalid, notFound } from './command-rejection.ts'
import type { JobOperationFinder } from './job-operation-finder.ts'
import type { RefKind, Refs } from './refs.ts'
import type { StoredReads } from './stored-reads.ts'
import type { TimedRecordFinder } from './timed-record-finder.ts'

/** Input of a command besides its payload: the current records, and the values that its sender generated. */
export interface Context {
  readonly records: Records
  readonly nowMs: number
  /** `nowMs` as an ISO instant. */
  readonly now: string
  /** null for commands of the installation itself. */
  readonly company: CompanyRecord | null
  /** Returns the next unassigned integer of the kind. */
  readonly nextRef: (kind: RefKind) => number
  readonly refs: Pick<Refs, 'nextOfCompany' | 'isAssigned'>
  /** Records with a time; `records` contain only recent ones. */
  readonly timed: TimedRecordFinder
  /** Job operations; `records` contain only recent ones. */
  readonly operations: JobOperationFinder
  /** Data from the store. */
  readonly stored: Pick<StoredReads, 'get'>
  /** Returns the next UUID of this command. */
  readonly freshId: () => string
}

export interface CompanyContext extends Context {
  readonly company: CompanyRecord
}

/** A company, and the records that its own may name. */
export type CompanyRecords = Pick<CompanyContext, 'company' | 'records'>

/** Changes and result of a successful command; a rejected command throws a `CommandRejection`. */
export interface Decision<R = unknown> {
  readonly changes: readonly Change[]
  readonly result: R
}

/** A command: its name, and the function that decides it. */
export interface CommandSpec {
  readonly name: CommandName
  /**
   * Validates the payload, then computes the decision without changing records. Throws a `CommandRejection`. No other
   * command may be decided or applied between the steps.
   */
  readonly run: (payload: unknown, context: Context) => Steps<Decision>
}

/** A decision, or the steps that compute one for large payloads. */
type Deciding<R> = Decision<R> | Steps<Decision<R>>

/**
 * Splits a very large payload into parts that are validated one by one: all parts are valid if and only if the payload
 * is.
 */
type SplitPayload = (payload: unknown) => Iterable<unknown>

/** Creates a command on a company's records. `decide` receives only valid payloads. */
export function companyCommand<Name extends CommandName>(
  name: Name,
  decide: (payload: Payload<Name>, context: CompanyContext) => Deciding<Result<Name>>,
  split: SplitPayload = payload => [payload],
): CommandSpec {
  const decideForCompany = (payload: Payload<Name>, context: Context): Deciding<Result<Name>> => {
    const { company } = context
    if (!company) throw notFound('The company does not exist')
    return decide(payload, { ...context, company })
  }
  return installationCommand(name, decideForCompany, split)
}

/** Creates a command that needs no company. `decide` receives only valid payloads. */
export function installationCommand<Name extends CommandName>(
  name: Name,
  decide: (payload: Payload<Name>, context: Context) => Deciding<Result<Name>>,
  split: SplitPayload = payload => [payload],
): CommandSpec {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema belongs to the name, which the compiler cannot infer
  const check = createChecker(commands[name].payload as Schema) as Check<Payload<Name>>
  return {
    name,
    *run(payload, context) {
      const decideOn = (valid: Payload<Name>): Steps<Decision> => decisionSteps(() => decide(valid, context))
      const checked = yield* validatePayload(payload, check, split)
      if ('value' in checked) return yield* decideOn(checked.value)
      const { errors, more } = checked
      throw invalid([...errors, ...findFurtherErrors(payload, errors, check, decideOn)], undefined, more)
    },
  }
}

type Check<P> = (payload: unknown) => Checked<P>

/**
 * Validates the parts of a payload. If a part is invalid, validates the whole payload, because errors contain positions
 * in the whole.
 */
function* validatePayload<P>(payload: unknown, check: Check<P>, split: SplitPayload): Steps<Checked<P>> {
  for (const part of split(payload)) {
    const checked = check(part)
    if (!('value' in checked)) return part === payload ? checked : check(payload)
    if (part === payload) return checked
    yield
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all parts of the payload are valid
  return { errors: [], value: payload as P }
}

function* decisionSteps<R>(decide: () => Deciding<R>): Steps<Decision<R>> {
  const deciding = decide()
  return 'changes' in deciding ? deciding : yield* deciding
}

/**
 * Finds further errors of an invalid payload: decides the command with only the valid fields, so that the response
 * lists all errors.
 */
function findFurtherErrors<P>(
  payload: unknown,
  errors: readonly FieldError[],
  check: Check<P>,
  decide: (payload: P) => Steps<Decision>,
): readonly FieldError[] {
  const unfit = new Set(errors.map(({ field }) => /^[^.[]*/.exec(field)?.[0]))
  const rest = check(Object.fromEntries(Object.entries(payload ?? {}).filter(([field]) => !unfit.has(field))))
  if (!('value' in rest)) return []
  const rejection = catchRejection(() => runSync(decide(rest.value)))
  return rejection?.error.status === 400 ? rejection.error.errors : []
}

function catchRejection(work: () => unknown): CommandRejection | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof CommandRejection) return error
    throw error
  }
}

/** Returns the change between two states of a record; an empty array if they are equal. */
export function changeTo<K extends RecordKind>(
  kind: K,
  id: string | number,
  before: RecordKinds[K] | null,
  after: RecordKinds[K] | null,
): Change[] {
  if (isDeepStrictEqual(before, after)) return []
  return [changeBetween(kind, String(id), before, after)]
}

/** Decision that stores a record and returns it. */
export function put<K extends RecordKind>(
  kind: K,
  id: string | number,
  before: RecordKinds[K] | null,
  after: RecordKinds[K],
): Decision<RecordKinds[K]> {
  return { changes: changeTo(kind, id, before, after), result: after }
}

/** Decision that deletes a record of the company and returns null; 404 if it does not exist. */
export function remove(kind: CompanyKind, id: string | number, context: CompanyContext): Decision<null> {
  const before = find(kind, id, context)
  if (!before) throw notFound()
  return { changes: changeTo(kind, String(before.id), before, null), result: null }
}

function find(
  kind: CompanyKind,
  id: string | number,
  { records, timed, operations, company }: CompanyContext,
): RecordKinds[CompanyKind] | null {
  if (kind === 'jobOperation') return operations.get(company.id, String(id))
  return isTimedKind(kind) ? timed.get(kind, company.id, String(id)) : records.get(kind, company.id, id)
}
