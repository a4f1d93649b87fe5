import * as t from '../types.ts'

export const importTypes = ['mm', 'vendorVisual', 'vendorLN'] as const
export type ImportType = (typeof importTypes)[number]

/** Query of `POST /jobs/import`. */
export const importQuery = t.partial({
  type: t.named(
    'ImportType',
    t.oneOf(importTypes, {
      default: 'mm',
      description:
        '`mm`: the CSV format of Takt; `vendorVisual`: a CSV file, `vendorLN`: an XLSX file of another system',
    }),
  ),
  allowEmpty: t.described(t.bool, 'As the field `allowEmpty` of the form'),
})

/** Response of `POST /jobs/import/preview`: job operations that the import would create, change and archive. */
export const importPreview = t.named(
  'JobImportPreview',
  t.object(
    {
      created: t.int,
      changed: t.int,
      archived: t.int,
      skippedRows: t.described(t.int, 'Rows that are skipped because the company does not have their work center'),
    },
    ['skippedRows'],
  ),
)

/** Form of `POST /jobs/import`, used only in the OpenAPI document. */
export const importForm = t.named(
  'JobImportForm',
  t.withExamples(
    t.object(
      {
        csvFile: { ...t.text, format: 'binary', description: 'The file' },
        autoArchive: t.described(t.withDefault(t.bool, false), 'Archives all jobs that the file does not contain'),
        allowEmpty: t.described(
          t.withDefault(t.bool, false),
          'Accepts a file without jobs; with `autoArchive`, all jobs are then archived',
        ),
      },
      ['autoArchive', 'allowEmpty'],
    ),
    { csvFile: 'name,part,operation,quantity\nJ-1003,Shaft,10,500\n', autoArchive: false },
  ),
)
