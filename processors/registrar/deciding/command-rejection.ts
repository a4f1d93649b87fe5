import type { CommandError } from '../../../schema/commands/command-log.ts'
import { maxFirstUses, type Use, type Uses } from '../../../schema/commands/uses.ts'
import { type FieldError, fieldError, type FieldErrorCode } from '../../../schema/errors.ts'

/** Thrown by a command that is rejected; `error` becomes its outcome. */
export class CommandRejection extends Error {
  override readonly name = 'CommandRejection'
  readonly error: CommandError

  constructor(
    status: CommandError['status'],
    code: string,
    message: string,
    errors: readonly FieldError[] = [],
    more = 0,
  ) {
    super(message)
    this.error = { status, code, message, errors, ...(more > 0 && { more }) }
  }
}

/** Maximum number of listed field errors. */
const maxFieldErrors = 1000

/** Creates a 400 with the first 1,000 field errors; `more`: number of further errors that were not listed before. */
export function invalid(errors: readonly FieldError[], message = 'Validation Error', more = 0): CommandRejection {
  const others = more + Math.max(0, errors.length - maxFieldErrors)
  return new CommandRejection(400, 'ValidationError', message, errors.slice(0, maxFieldErrors), others)
}

/** Creates a 400 with one field error. */
export function invalidField(field: string, code: FieldErrorCode, message: string): CommandRejection {
  return invalid([fieldError(field, code, message)])
}

/** Creates a 404 for a record that the company does not have. */
export function notFound(message = 'Not Found'): CommandRejection {
  return new CommandRejection(404, 'NotFound', message)
}

/** Records of one kind that refer to another record. */
export interface ReferringRecords {
  /** Singular name of the kind, such as `machine`. */
  readonly noun: string
  readonly count: number
  /** Names of the first few records. */
  readonly names: readonly string[]
}

export function referringRecords<T>(
  noun: string,
  records: readonly T[],
  name: (record: T) => string,
): ReferringRecords {
  return { noun, count: records.length, names: records.slice(0, maxFirstUses).map(name) }
}

/** Returns the records of a kind that refer to another one, as read from the store. */
export function storedReferences(noun: string, { count, first }: Uses, name: (use: Use) => string): ReferringRecords {
  return { noun, count, names: first.map(name) }
}

/**
 * Throws 409 if records refer to the record to be deleted; the message lists their number and the first few. `advice`:
 * the alternative to deleting.
 */
export function rejectIfInUse(by: readonly ReferringRecords[], advice = ''): void {
  const references = by.filter(({ count }) => count > 0).map(describeReferences)
  if (references.length > 0)
    throw new CommandRejection(409, 'InUse', `In use by ${references.join('; ')}${advice && `; ${advice}`}`)
}

function describeReferences({ noun, count, names }: ReferringRecords): string {
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return `${count} ${noun}${count === 1 ? '' : 's'}: ${names.join(', ')}${more}`
}

/** Throws 400 if there are field errors. */
export function throwIfInvalid(errors: readonly FieldError[], message?: string): void {
  if (errors.length > 0) throw invalid(errors, message)
}
