import type { Records } from '../../../processors/records/records.ts'
import type { Channel } from '../../../schema/requests/live.ts'
import { machineScope, type ChannelDeclaration, type Member } from './channel.ts'
import { FanOut, type FanOutOptions } from '../outbox/fan-out.ts'
import { parseMachineIds } from '../parse.ts'

export type MachineRecords = Pick<Records, 'get' | 'machineByRef'>

/** Maximum number of unknown ids in the message. */
const maxNamed = 20

/**
 * Declares the common parts of channels with the command `set_machines`: the present state of each machine once, then
 * its changes, which `fanOut` publishes.
 */
export function machineChannel<Change>(name: Channel, records: Pick<Records, 'get'>, options: FanOutOptions<Change>) {
  const fanOut = new FanOut(options)
  /** Replaces the machines of the member. Unknown ones are reported, the remaining ones served. */
  const setMachines = (member: Member, ids: readonly string[]) => {
    const known = ids.flatMap(id => records.get('machine', member.companyId, id) ?? [])
    fanOut.setMachines(member.subscriber, new Set(known.map(({ ref }) => ref)))
    reportUnknownMachines(member, ids, records)
    return { machineIds: known.map(({ id }) => id) }
  }
  const declaration = {
    name,
    scope: machineScope,
    commands: {
      set_machines: (data: unknown) => {
        const ids = parseMachineIds(data)
        return (member: Member) => setMachines(member, ids)
      },
    },
    left: ({ subscriber }: Member) => fanOut.remove(subscriber),
  } satisfies ChannelDeclaration
  return { fanOut, declaration }
}

/** Sends an error that names the ids of unknown machines, if there are any. */
export function reportUnknownMachines(member: Member, ids: readonly string[], records: Pick<Records, 'get'>): void {
  const unknown = ids.filter(id => records.get('machine', member.companyId, id) === null)
  if (unknown.length > 0)
    member.fail({ code: 'unknown_machine', message: `Unknown machine ${shortList(unknown)}`, machineIds: unknown })
}

function shortList(ids: readonly string[]): string {
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''
  return `${ids.slice(0, maxNamed).join(', ')}${more}`
}
