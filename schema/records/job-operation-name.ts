import type { JobOperationRecord } from './job-operation.ts'

/** Returns the non-empty names of a job operation, joined by ` / `. */
export function jobOperationName({
  jobName,
  lotName,
  operationName,
  partName,
}: Pick<JobOperationRecord, 'jobName' | 'lotName' | 'operationName' | 'partName'>): string {
  return [jobName, lotName, operationName, partName].filter(name => name !== '').join(' / ')
}
