import type { Status } from '../../schema/document.ts'

/** Order of statuses wherever they are listed: what needs somebody comes first. */
export const statusOrder: readonly Status[] = ['FAULT', 'INACTIVE', 'ACTIVE', 'UNAVAILABLE']
