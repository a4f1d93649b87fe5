import type { Status } from '../../../schema/document.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { Texts } from '../../texts/en.ts'

/** Why a machine that a connector reads is UNAVAILABLE, in words; '' for other machines: their senders are unknown. */
export function reasonOf({ connection }: MachineListItem, status: Status, { source }: Texts): string {
  const { problem } = connection
  return status !== 'UNAVAILABLE' || problem === null || problem === 'no_connector' ? '' : source.problems[problem]
}
