import { bool, schema } from './json-schema.ts'

export const importTypes = ['mm', 'vendorVisual', 'vendorLN'] as const
export type ImportType = (typeof importTypes)[number]

/** Query of `POST /jobs/import`. */
export const importQuery = schema<{ readonly type?: ImportType; readonly allowEmpty?: boolean }>({
  type: 'object',
  properties: {
    type: {
      type: 'string',
      enum: importTypes,
      default: 'mm',
      description: '`mm`: the own CSV format; `vendorVisual`: a CSV file, `vendorLN`: an XLSX file of another system',
    },
    allowEmpty: { ...bool, description: 'As in the form' },
  },
})

/** Its form, as the docs show it. */
export const importForm = {
  type: 'object',
  required: ['csvFile'],
  properties: {
    csvFile: { type: 'string', format: 'binary', description: 'The file' },
    autoArchive: {
      type: 'boolean',
      default: false,
      description: 'Archives all jobs that the file does not name',
    },
    allowEmpty: {
      type: 'boolean',
      default: false,
      description: 'With `autoArchive`: takes a file without jobs, so that all jobs are archived',
    },
  },
} as const
