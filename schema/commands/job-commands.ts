import { jobOperation, jobOperationInput, timesInput, workCentersInput } from '../records/job-operation.ts'
import { jobRun } from '../records/job-run.ts'
import { thresholdsInput } from '../records/thresholds.ts'
import { productionInput, startRunInput, stopRunInput } from '../requests/job-dispatch.ts'
import {
  bool,
  id,
  type Infer,
  int,
  integer,
  list,
  longText,
  looseInstant,
  name,
  nullableProperties,
  nullSchema,
  number,
  object,
  quantity,
  shortText,
} from '../types.ts'
import { chunkedCommand, command, idOnly, putCommand } from './contract.ts'

const importedJob = object(
  {
    /** Row number in the file, for error messages. */
    row: integer(0, 10_000_000),
    jobName: name,
    lotName: shortText,
    operationName: shortText,
    partName: shortText,
    ...nullableProperties({
      description: longText,
      dueAt: looseInstant,
      partValue: number,
      quantityRequired: quantity,
    }),
    ...timesInput.properties,
    workCenters: workCentersInput,
    thresholds: thresholdsInput,
    /** The file contains the job, but the import neither creates nor changes it. */
    isSkipped: bool,
  },
  ['description', 'dueAt', 'partValue', 'quantityRequired', 'workCenters', 'thresholds', 'isSkipped'],
)
const importChunk = object(
  {
    jobs: list(importedJob, { maxItems: 1_000_000 }),
    /** Archives every job that no chunk contains. Read from the first chunk. */
    autoArchive: bool,
    /** Computes the result without changing records. Read from the first chunk. */
    isPreview: bool,
  },
  ['autoArchive', 'isPreview'],
)

/**
 * A job operation in an imported file, identified by its four names. Omitted fields stay unchanged, null clears a
 * field.
 */
export type ImportedJob = Infer<typeof importedJob>
/** One chunk of an import, which may be larger than a record of the log. */
export type JobImportChunk = Infer<typeof importChunk>

/** Commands on job operations and their runs. */
export const jobCommands = {
  'jobOperation.put': putCommand(jobOperationInput, { id }, jobOperation),
  'jobOperation.delete': command(idOnly, nullSchema),
  'jobRun.start': command(startRunInput, jobRun),
  'jobRun.production': command(productionInput, jobRun),
  'jobRun.end': command(stopRunInput, jobRun),
  'jobImport.apply': chunkedCommand(
    list(importChunk, { maxItems: 100_000 }),
    object({ created: int, changed: int, archived: int }),
  ),
} as const
