import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Interval } from '../intervals/interval.ts'

/** Returns the time in which a machine is commissioned. */
export function commissionedTime({
  commissionedAt,
  decommissionedAt,
}: Pick<MachineRecord, 'commissionedAt' | 'decommissionedAt'>): Interval {
  return {
    startMs: commissionedAt === null ? -Infinity : Date.parse(commissionedAt),
    endMs: decommissionedAt === null ? Infinity : Date.parse(decommissionedAt),
  }
}
