import type { Status } from '../../schema/document.ts'

/** Order of statuses in all lists: statuses that need attention first. */
export const statusOrder: readonly Status[] = ['FAULT', 'INACTIVE', 'ACTIVE', 'UNAVAILABLE']
