import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { list, object, oneOf } from '../../processors/registrar/shapes.ts'
import { payloadParser } from '../../processors/registrar/payload.ts'
import { Refusal } from '../../processors/registrar/refusal.ts'
import type { ImportType } from '../../schema/api/job-import.ts'
import { fieldNames, type FieldName } from './fields.ts'

export const units = ['ms', 's', 'min', 'h', 'partsPerHour', 'partsPerMinute'] as const
export type Unit = (typeof units)[number]
export const dateFormats = ['iso', 'MM/DD/YYYY', 'DD.MM.YYYY', 'DD/MM/YYYY', 'YYYYMMDD'] as const
export type DateFormat = (typeof dateFormats)[number]

/** Where a field is found in a file, and how it is written there. */
export interface Column {
  /** Headings, any of which the file may have; letter case, spaces, `_` and `-` make no difference. */
  readonly headings: readonly string[]
  /** Of times; ms per part and s per setup unless given. */
  readonly unit?: Unit
  /** Of dates; ISO 8601 unless given. */
  readonly dateFormat?: DateFormat
}

/** How the rows of a kind of file are read. */
export interface Mapping {
  readonly format: 'csv' | 'xlsx'
  /** Between the cells of a CSV file; a comma, semicolon or tab, as the file has it, unless given. */
  readonly delimiter?: string
  /** Name of the sheet of an XLSX file; its first one unless given. */
  readonly sheet?: string
  readonly columns: Readonly<Partial<Record<FieldName, Column>>>
}

export type Mappings = Readonly<Record<ImportType, Mapping>>

const heading = { type: 'string', format: 'name', maxLength: 200 }
const column = {
  ...object({ headings: { ...list(heading, 20), minItems: 1 }, unit: oneOf(units), dateFormat: oneOf(dateFormats) }, [
    'headings',
  ]),
  additionalProperties: false,
}
const parse = payloadParser<Mapping>({
  schema: {
    ...object(
      {
        format: oneOf(['csv', 'xlsx']),
        delimiter: oneOf([',', ';', '\t', '|']),
        sheet: { type: 'string', maxLength: 200 },
        columns: {
          ...object(Object.fromEntries(fieldNames.map(name => [name, column])), ['name']),
          additionalProperties: false,
        },
      },
      ['format', 'columns'],
    ),
    additionalProperties: false,
  },
})

const ownFolder = fileURLToPath(new URL('mappings', import.meta.url))

/**
 * Reads the mapping of each kind of file; those of other systems may be replaced by files of the same name in `folder`. Rejects with
 * an error that names every fault of a file.
 */
export async function readMappings(folder: string | null): Promise<Mappings> {
  const [mm, vendorVisual, vendorLN] = await Promise.all([
    readMapping(join(ownFolder, 'mm.json')),
    readReplaceable('vendorVisual', folder),
    readReplaceable('vendorLN', folder),
  ])
  return { mm, vendorVisual, vendorLN }
}

async function readReplaceable(type: ImportType, folder: string | null): Promise<Mapping> {
  const own = join(ownFolder, `${type}.json`)
  if (folder === null) return readMapping(own)
  try {
    return await readMapping(join(folder, `${type}.json`))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return readMapping(own)
    throw error
  }
}

async function readMapping(path: string): Promise<Mapping> {
  const text = await readFile(path, 'utf8')
  try {
    return parse(JSON.parse(text))
  } catch (error) {
    const faults = error instanceof Refusal ? error.error.errors.map(({ message }) => message) : [String(error)]
    throw new Error(`${path} is no mapping of a job file: ${faults.join('; ')}`, { cause: error })
  }
}
