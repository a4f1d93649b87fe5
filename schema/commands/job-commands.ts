import { jobOperation, jobOperationInput, timesInput, workCentersInput } from '../records/job-operation.ts'
import { jobRun } from '../records/job-run.ts'
import { thresholdsInput } from '../records/thresholds.ts'
import { productionInput, startRunInput, stopRunInput } from '../requests/job-dispatch.ts'
import * as t from '../types.ts'
import { chunkedCommand, command, idOnly, putCommand } from './contract.ts'

const importedJob = t.object(
  {
    /** Row number in the file, for error messages. */
    row: t.integer(0, 10_000_000),
    jobName: t.name,
    lotName: t.shortText,
    operationName: t.shortText,
    partName: t.shortText,
    ...t.nullableProperties({
      description: t.longText,
      dueAt: t.looseInstant,
      partValue: t.number,
      quantityRequired: t.quantity,
    }),
    ...timesInput.properties,
    workCenters: workCentersInput,
    thresholds: thresholdsInput,
    /** The file contains the job, but the import neither creates nor changes it. */
    isSkipped: t.bool,
  },
  ['description', 'dueAt', 'partValue', 'quantityRequired', 'workCenters', 'thresholds', 'isSkipped'],
)
const importChunk = t.object(
  {
    jobs: t.list(importedJob, { maxItems: 1_000_000 }),
    /** Archives every job that no chunk contains. Read from the first chunk. */
    autoArchive: t.bool,
    /** Computes the result without changing records. Read from the first chunk. */
    isPreview: t.bool,
  },
  ['autoArchive', 'isPreview'],
)

/**
 * A job operation in an imported file, identified by its four names. Omitted fields stay unchanged, null clears a
 * field.
 */
export type ImportedJob = t.Infer<typeof importedJob>
/** One chunk of an import, which may be larger than a record of the log. */
export type JobImportChunk = t.Infer<typeof importChunk>

/** Commands on job operations and their runs. */
export const jobCommands = {
  'jobOperation.put': putCommand(jobOperationInput, { id: t.id }, jobOperation),
  'jobOperation.delete': command(idOnly, t.nullSchema),
  'jobRun.start': command(startRunInput, jobRun),
  'jobRun.production': command(productionInput, jobRun),
  'jobRun.end': command(stopRunInput, jobRun),
  'jobImport.apply': chunkedCommand(
    t.list(importChunk, { maxItems: 100_000 }),
    t.object({ created: t.int, changed: t.int, archived: t.int }),
  ),
} as const
