import type { JobOperationRecord } from './job-operation.ts'

/** The names that identify a job operation in its company. */
export type JobNames = Pick<JobOperationRecord, 'jobName' | 'lotName' | 'operationName' | 'partName'>

/** A job operation as reports name it. */
export type NamedOperation = JobNames & Pick<JobOperationRecord, 'id' | 'ref'>

/** Returns a key that is unique for the four names: it contains their lengths. */
export function namesKey({ jobName, lotName, operationName, partName }: JobNames): string {
  return `${jobName.length} ${lotName.length} ${operationName.length} ${jobName}${lotName}${operationName}${partName}`
}

/** Returns the non-empty names of a job operation, joined by ` / `. */
export function jobOperationName({ jobName, lotName, operationName, partName }: JobNames): string {
  return [jobName, lotName, operationName, partName].filter(name => name !== '').join(' / ')
}
