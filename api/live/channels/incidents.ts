import type { Records } from '../../../processors/records/records.ts'
import { canonicalId } from '../../../processors/records/record-ids.ts'
import { toListed } from '../../../clickhouse/projections/incidents.ts'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import type { IncidentFilter, IncidentUpdate } from '../../../schema/requests/live.ts'
import { anyOf } from '../../auth/scopes.ts'
import { mayReadIncidents, presentIncident } from '../../incidents/present-incident.ts'
import { type Frame, frameOf } from '../outbox/frame.ts'
import { PendingFrames } from '../outbox/pending-frames.ts'
import { parseIncidentFilter } from '../parse.ts'
import type { ChannelDeclaration, Member } from './channel.ts'
import { reportUnknownMachines } from './machine-channel.ts'

interface IncidentsDeps {
  readonly records: Records
}

interface Follower {
  readonly member: Member
  readonly pending: PendingFrames
  selects: (incident: IncidentRecord) => boolean
}

/** Stands for the event `listed` among the ids of incidents. */
const endOfList = ''

/** `incidents`: the unresolved incidents that a filter selects once, then every changed incident. */
export class IncidentsChannel implements ChannelDeclaration {
  readonly name = 'incidents'
  readonly scope = anyOf('incident.read')
  readonly commands = {
    set_filter: (data: unknown) => {
      const filter = parseIncidentFilter(data)
      return (member: Member) => this.#setFilter(member, filter)
    },
  }
  readonly #records: Records
  readonly #followers = new Map<Member, Follower>()

  constructor({ records }: IncidentsDeps) {
    this.#records = records
  }

  left(member: Member): void {
    if (this.#followers.delete(member)) member.subscriber.readFrom(null)
  }

  recordChanged({ kind, id, after }: Parameters<NonNullable<ChannelDeclaration['recordChanged']>>[0]): void {
    if (kind !== 'incident' || after === null) return
    for (const { member, pending, selects } of this.#followers.values())
      if (member.companyId === after.companyId && selects(after)) pending.add(id)
  }

  /** Replaces the filter of the member, and sends the unresolved incidents that the new one selects. */
  #setFilter(member: Member, filter: IncidentFilter): object {
    const selects = selectorOf(filter)
    const pending = this.#followers.get(member)?.pending ?? this.#framesFor(member)
    this.#followers.set(member, { member, pending, selects })
    pending.clear()
    for (const incident of this.#records.incidents.unresolved(member.companyId))
      if (selects(incident)) pending.add(incident.id)
    pending.add(endOfList)
    reportUnknownMachines(member, filter.machineIds ?? [], this.#records)
    return {}
  }

  #framesFor(member: Member): PendingFrames {
    return new PendingFrames(member.subscriber, id =>
      id === endOfList ? frameOf(this.name, 'listed', {}) : this.#frameFor(member, id),
    )
  }

  /** Returns the update of an incident for a member; null: the member may not read it. */
  #frameFor({ companyId, caller }: Member, id: string): Frame | null {
    const incident = this.#records.get('incident', companyId, id)
    if (incident === null || caller === null || !mayReadIncidents(incident.kind, caller.scopes)) return null
    const update: IncidentUpdate = {
      incident: presentIncident(toListed(incident), { records: this.#records }),
      forYou: incident.notices.some(({ targetId }) => {
        const userId = this.#records.get('alertTarget', companyId, targetId)?.userId ?? null
        return userId !== null && caller.standsFor.includes(userId)
      }),
    }
    return frameOf(this.name, 'update', update)
  }
}

function selectorOf({ machineIds, ruleIds, kinds }: IncidentFilter): Follower['selects'] {
  const [machines, rules, ofKinds] = [machineIds?.map(canonicalId), ruleIds?.map(canonicalId), kinds].map(toSet)
  return ({ subject, ruleId, kind }) =>
    (!machines || (subject.type === 'machine' && machines.has(subject.id))) &&
    (!rules || rules.has(ruleId ?? '')) &&
    (!ofKinds || ofKinds.has(kind))
}

/** Returns the values of a list as a set; null: a missing or empty list, which selects all. */
function toSet(values: readonly string[] | null | undefined): ReadonlySet<string> | null {
  return values && values.length > 0 ? new Set(values) : null
}
