import type { Problems } from '../shared/problems.ts'
import type { Position } from './log.ts'

interface DamagedRecord extends Position {
  readonly topic: string
  /** First of the offsets that the record replaces, if there are several. */
  readonly firstOffset?: number
  /** Description of the damage, without content of the record. */
  readonly why: string
}

/**
 * Reports a record in one of Takt's own topics that was skipped because it cannot be read. Each partition has at most
 * one such problem, which describes the latest record.
 */
export function reportDamagedRecord(problems: Problems | undefined, record: DamagedRecord): void {
  const { topic, partition, offset, firstOffset = offset, why } = record
  const offsets = firstOffset === offset ? `Offset ${offset}` : `Offsets ${firstOffset} to ${offset}`
  problems?.report(`damaged ${topic}/${partition}`, {
    code: 'damaged_record',
    message: `${offsets} of ${topic}, partition ${partition}, cannot be read and was skipped: ${why}. Its content is missing.`,
    topic,
    partition,
    offset: firstOffset,
  })
}
