import { bool, described, int, named, object, oneOf, partial, text, withDefault, withExamples } from '../types.ts'

export const importTypes = ['mm', 'vendorVisual', 'vendorLN'] as const
export type ImportType = (typeof importTypes)[number]

/** Query of `POST /jobs/import`. */
export const importQuery = partial({
  type: named(
    'ImportType',
    oneOf(importTypes, {
      default: 'mm',
      description:
        '`mm`: the CSV format of Takt; `vendorVisual`: a CSV file, `vendorLN`: an XLSX file of another system',
    }),
  ),
  allowEmpty: described(bool, 'As the field `allowEmpty` of the form'),
})

/** Response of `POST /jobs/import/preview`: job operations that the import would create, change and archive. */
export const importPreview = named(
  'JobImportPreview',
  object(
    {
      created: int,
      changed: int,
      archived: int,
      skippedRows: described(int, 'Rows that are skipped because the company does not have their work center'),
    },
    ['skippedRows'],
  ),
)

/** Form of `POST /jobs/import`, used only in the OpenAPI document. */
export const importForm = named(
  'JobImportForm',
  withExamples(
    object(
      {
        csvFile: { ...text, format: 'binary', description: 'The file' },
        autoArchive: described(withDefault(bool, false), 'Archives all jobs that the file does not contain'),
        allowEmpty: described(
          withDefault(bool, false),
          'Accepts a file without jobs; with `autoArchive`, all jobs are then archived',
        ),
      },
      ['autoArchive', 'allowEmpty'],
    ),
    { csvFile: 'name,part,operation,quantity\nJ-1003,Shaft,10,500\n', autoArchive: false },
  ),
)
