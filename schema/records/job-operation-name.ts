import type { JobOperationRecord } from './job-operation.ts'

/** The four names in one, without the empty ones. */
export function jobOperationName({
  jobName,
  lotName,
  operationName,
  partName,
}: Pick<JobOperationRecord, 'jobName' | 'lotName' | 'operationName' | 'partName'>): string {
  return [jobName, lotName, operationName, partName].filter(name => name !== '').join(' / ')
}
