import type { FieldError } from '../../../schema/errors.ts'
import { canonicalId } from '../../records/record-ids.ts'
import type { CompanyRecords } from '../deciding/command.ts'
import { problem } from './connector-mapping.ts'
import { findAllMissing } from './named-records.ts'

/** Limit of the ids of a subject, in all of its lists. */
const maxIds = 5_000

/** Kinds of records in the lists of a subject. */
const kindOfList = {
  machineIds: 'machine',
  machineGroupIds: 'machineGroup',
  connectorIds: 'connector',
  ruleIds: 'alertRule',
} as const
type ListName = keyof typeof kindOfList

type Lists<Name extends string> = { readonly [Each in Name]: readonly string[] }

/** Returns the subject with all lists, and ids in the form of records. */
export function toSubject<Name extends ListName>(
  names: readonly Name[],
  input: { readonly [Each in Name]?: readonly string[] | null } | null | undefined,
): Lists<Name> {
  const entries = names.map(name => [name, (input?.[name] ?? []).map(canonicalId)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each name
  return Object.fromEntries(entries) as Lists<Name>
}

/** Returns errors of ids that the company does not have, or of too many ids. */
export function findSubjectErrors(subject: Partial<Lists<ListName>>, context: CompanyRecords): readonly FieldError[] {
  const names = listNames.filter(name => subject[name] !== undefined)
  if (names.reduce((sum, name) => sum + (subject[name]?.length ?? 0), 0) > maxIds)
    return [problem('subject', `must contain at most ${maxIds} ids`, 'OutOfRange')]
  return names.flatMap(name => findAllMissing(`subject.${name}`, kindOfList[name], subject[name] ?? [], context))
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
const listNames = Object.keys(kindOfList) as readonly ListName[]
