import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkerOf } from '../../schema/check.ts'
import type { ImportType } from '../../schema/requests/job-import.ts'
import {
  jsonOf,
  list,
  name as heading,
  object,
  type Of,
  oneOf,
  type Schema,
  shortText,
  unsafe,
} from '../../schema/types.ts'
import { fieldNames, type FieldName } from './fields.ts'

export const units = ['ms', 's', 'min', 'h', 'partsPerHour', 'partsPerMinute'] as const
export type TimeUnit = (typeof units)[number]
export const dateFormats = ['iso', 'MM/DD/YYYY', 'DD.MM.YYYY', 'DD/MM/YYYY', 'YYYYMMDD'] as const
export type DateFormat = (typeof dateFormats)[number]

/**
 * Where a field is found in a file, and how it is written there. `headings`: any of which the file may have; letter case, spaces, `_`
 * and `-` make no difference. `unit`: of times; ms per part and s per setup unless given. `dateFormat`: of dates; ISO 8601 unless given.
 */
const column = closed(
  object(
    { headings: list(heading, { minItems: 1, maxItems: 20 }), unit: oneOf(units), dateFormat: oneOf(dateFormats) },
    ['unit', 'dateFormat'],
  ),
)
export type MappedColumn = Of<typeof column>

const columns = unsafe<Partial<Record<FieldName, MappedColumn>>>({
  ...jsonOf(closed(object(Object.fromEntries(fieldNames.map(name => [name, column])), fieldNames))),
  required: ['name'],
})

/** How the rows of a kind of file are read. `delimiter`: a comma, semicolon or tab, as the file has it, unless given; `sheet`: of an XLSX file, its first one unless given. */
const mapping = closed(
  object({ format: oneOf(['csv', 'xlsx']), delimiter: oneOf([',', ';', '\t', '|']), sheet: shortText, columns }, [
    'delimiter',
    'sheet',
  ]),
)
export type Mapping = Of<typeof mapping>

export type Mappings = Readonly<Record<ImportType, Mapping>>

const check = checkerOf(mapping)

function closed<S extends Schema>(schema: S): S {
  return { ...schema, additionalProperties: false }
}

const ownFolder = fileURLToPath(new URL('mappings', import.meta.url))

/**
 * Reads the mapping of each kind of file; those of other systems may be replaced by files of the same name in `folder`. Rejects with
 * an error that names every fault of a file.
 */
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

/** A mapping of the product. It fits, as a test checks: to check it would take 70 ms of CPU of each start. */
async function readOwn(type: ImportType): Promise<Mapping> {
  const mapping: Mapping = JSON.parse(await readFile(join(ownFolder, `${type}.json`), 'utf8'))
  return mapping
}

/** Reads a mapping; rejects with an error that names every fault of the file. */
export async function readMapping(path: string): Promise<Mapping> {
  const text = await readFile(path, 'utf8')
  const checked = check(jsonOrText(text))
  if ('value' in checked) return checked.value
  const faults = checked.faults.map(({ message }) => message)
  throw new Error(`${path} is no mapping of a job file: ${faults.join('; ')}`)
}

/** A text that is no JSON stays one, for the check to find fault with. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
