import type { Records } from '../../../processors/records/records.ts'
import type { ChannelCommand, Member } from '../channel.ts'
import type { FanOut } from '../fan-out.ts'
import { parseMachineIds } from '../parse.ts'

/** Maximum number of unknown ids in the message. */
const maxNamed = 20

/**
 * `set_machines`: the machines that the member subscribes to, instead of the previous ones. Unknown ones are reported,
 * the remaining ones served.
 */
export function setMachines(records: Pick<Records, 'get'>, fanOut: Pick<FanOut<never>, 'setMachines'>): ChannelCommand {
  const follow = (member: Member, ids: readonly string[]) => {
    const known = ids.flatMap(id => records.get('machine', member.companyId, id) ?? [])
    fanOut.setMachines(member.subscriber, new Set(known.map(({ ref }) => ref)))
    tellUnknown(
      member,
      ids.filter(id => records.get('machine', member.companyId, id) === null),
    )
    return { machineIds: known.map(({ id }) => id) }
  }
  return data => {
    const ids = parseMachineIds(data)
    return member => follow(member, ids)
  }
}

function tellUnknown(member: Member, unknown: readonly string[]): void {
  if (unknown.length === 0) return
  const named = unknown.slice(0, maxNamed)
  const others = unknown.length > named.length ? ` and ${unknown.length - named.length} more` : ''
  const message = `Unknown machine ${named.join(', ')}${others}`
  member.fail({ code: 'unknown_machine', message, machineIds: unknown })
}
