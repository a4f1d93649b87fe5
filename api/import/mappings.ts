import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createChecker } from '../../schema/check.ts'
import type { ImportType } from '../../schema/requests/job-import.ts'
import {
  list,
  name as heading,
  object,
  type Infer,
  oneOf,
  recordOf,
  type Schema,
  shortText,
  unsafe,
  jsonOf,
} from '../../schema/types.ts'
import { fieldNames, type FieldName, fields } from './fields.ts'

export const units = ['ms', 's', 'min', 'h', 'partsPerHour', 'partsPerMinute'] as const
export type TimeUnit = (typeof units)[number]
export const dateFormats = ['iso', 'MM/DD/YYYY', 'DD.MM.YYYY', 'DD/MM/YYYY', 'YYYYMMDD'] as const
export type DateFormat = (typeof dateFormats)[number]

const column = closed(
  object(
    {
      /** The headings that the column may have; letter case, spaces, `_` and `-` make no difference. */
      headings: list(heading, { minItems: 1, maxItems: 20 }),
      /** Unit of a time: ms per part and s per setup by default. */
      unit: oneOf(units),
      /** The heading of the column that has the unit of a time. */
      unitFrom: heading,
      /** The units that the words of that column mean; by default the words are the names of the units. */
      units: unsafe<Readonly<Record<string, TimeUnit>>>({
        ...jsonOf(recordOf(oneOf(units))),
        minProperties: 1,
        maxProperties: 100,
      }),
      /** How a date is written, a time may follow: ISO 8601 by default. */
      dateFormat: oneOf(dateFormats),
      /** Dates (YYYY-MM-DD) or texts that mean "none". */
      noDate: list(heading, { maxItems: 20 }),
    },
    ['unit', 'unitFrom', 'units', 'dateFormat', 'noDate'],
  ),
)
export type MappedColumn = Infer<typeof column>

const columns = unsafe<Partial<Record<FieldName, MappedColumn>>>({
  ...jsonOf(closed(object(Object.fromEntries(fieldNames.map(name => [name, column])), fieldNames))),
  required: ['name'],
})

const mapping = closed(
  object(
    {
      format: oneOf(['csv', 'xlsx']),
      /** Separator of a CSV file; by default the one that the first row has most of. */
      delimiter: oneOf([',', ';', '\t', '|']),
      /** Name of a sheet; by default the first visible one is read. */
      sheet: shortText,
      /** Decimal separator of numbers: a point, or a comma if the point separates thousands. */
      decimal: oneOf(['.', ',']),
      /** Thousands separator of numbers: none by default. */
      thousands: oneOf([',', '.', ' ', "'"]),
      /** Whether a row with a work center that the company does not have is an error (default) or is skipped. */
      unknownWorkCenter: oneOf(['error', 'skip']),
      columns,
    },
    ['delimiter', 'sheet', 'decimal', 'thousands', 'unknownWorkCenter'],
  ),
)
/** How the rows of a kind of file are read. */
export type Mapping = Infer<typeof mapping>

export type Mappings = Readonly<Record<ImportType, Mapping>>

const check = createChecker(mapping)

function closed<S extends Schema>(schema: S): S {
  return { ...schema, additionalProperties: false }
}

const ownFolder = fileURLToPath(new URL('mappings', import.meta.url))

/** Reads the mapping of each type, or its replacement in `folder`. Rejects with all errors of a file. */
export async function readMappings(folder: string | null): Promise<Mappings> {
  const [mm, vendorVisual, vendorLN] = await Promise.all([
    readOwn('mm'),
    readReplaceable('vendorVisual', folder),
    readReplaceable('vendorLN', folder),
  ])
  return { mm, vendorVisual, vendorLN }
}

async function readReplaceable(type: ImportType, folder: string | null): Promise<Mapping> {
  if (folder === null) return readOwn(type)
  try {
    return await readMapping(join(folder, `${type}.json`))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return readOwn(type)
    throw error
  }
}

/** Reads a mapping of the product without validation (70 ms of CPU at each start); a test validates it. */
async function readOwn(type: ImportType): Promise<Mapping> {
  const mapping: Mapping = JSON.parse(await readFile(join(ownFolder, `${type}.json`), 'utf8'))
  return mapping
}

/** Reads a mapping; rejects with an error that lists every error of the file. */
export async function readMapping(path: string): Promise<Mapping> {
  const text = await readFile(path, 'utf8')
  const checked = check(jsonOrText(text))
  const errors = 'value' in checked ? findContradictions(checked.value) : checked.errors.map(({ message }) => message)
  if ('value' in checked && errors.length === 0) return checked.value
  throw new Error(`${path} is not a mapping of a job file: ${errors.join('; ')}`)
}

/** Errors that the schema cannot express: members that exclude each other, or do not fit their column. */
function findContradictions({ columns, decimal, thousands }: Mapping): readonly string[] {
  const errors = decimal !== undefined && decimal === thousands ? ['decimal and thousands must differ'] : []
  for (const name of fieldNames) {
    const { unit, unitFrom, units: words, noDate } = columns[name] ?? {}
    const isTime = ['partTime', 'setupTime'].includes(fields[name].kind)
    if (unit !== undefined && unitFrom !== undefined)
      errors.push(`columns.${name} has a unit and a unitFrom: only one is allowed`)
    if (words !== undefined && unitFrom === undefined) errors.push(`columns.${name}.units needs unitFrom`)
    if (unitFrom !== undefined && !isTime) errors.push(`columns.${name}.unitFrom is only for times`)
    if (noDate !== undefined && fields[name].kind !== 'date') errors.push(`columns.${name}.noDate is only for dates`)
  }
  return errors
}

/** A text that is not JSON stays a text, which the check rejects. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
