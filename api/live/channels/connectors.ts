import { getOrCreate } from '../../../shared/collections/get-or-create.ts'
import type { Records } from '../../../processors/records/records.ts'
import type { ConnectorRecord } from '../../../schema/records/connector.ts'
import type { ConnectorUpdate } from '../../../schema/requests/live.ts'
import { anyOf } from '../../auth/scopes.ts'
import { findHealth, presentHealth, stateOf } from '../../connectors/present-health.ts'
import type { ConnectorsPort } from '../../ports/ports.ts'
import { type Frame, frameOf } from '../outbox/frame.ts'
import { PendingFrames } from '../outbox/pending-frames.ts'
import type { ChannelDeclaration, Member } from './channel.ts'

type ConnectorsDeps = Pick<ConnectorsPort, 'connectorHealth' | 'connectorSecrets'> & { readonly records: Records }

/** Interval at which changed numbers are sent; changed states are sent at the next tick. */
const numbersEveryMs = 5_000

/** `connectors`: the state of every connector of the company once, then its changes. */
export class ConnectorsChannel implements ChannelDeclaration {
  readonly name = 'connectors'
  readonly scope = anyOf('connector.read')
  readonly commands = {}
  readonly #deps: ConnectorsDeps
  /** Companies with members. */
  readonly #companies = new Map<string, FollowedCompany>()

  constructor(deps: ConnectorsDeps) {
    this.#deps = deps
  }

  joined(member: Member): void {
    getOrCreate(this.#companies, member.companyId, () => new FollowedCompany(member.companyId, this.#deps)).add(member)
  }

  left(member: Member): void {
    for (const [companyId, company] of this.#companies) if (company.remove(member)) this.#companies.delete(companyId)
  }

  tick(): void {
    for (const company of this.#companies.values()) company.refresh()
  }
}

/** The fields of a connector that the members see. */
interface Shown {
  /** Differs after each change of the state. */
  readonly state: string
  readonly frame: Frame
}

/** The connectors of a company, and those that each member has not been sent. */
class FollowedCompany {
  readonly #companyId: string
  readonly #deps: ConnectorsDeps
  readonly #shown = new Map<string, Shown>()
  readonly #members = new Map<Member, PendingFrames>()
  #numbersAtMs = -Infinity

  constructor(companyId: string, deps: ConnectorsDeps) {
    this.#companyId = companyId
    this.#deps = deps
  }

  add(member: Member): void {
    this.refresh()
    const pending = new PendingFrames(member.subscriber, id => this.#shown.get(id)?.frame ?? null)
    for (const id of this.#shown.keys()) pending.add(id)
    this.#members.set(member, pending)
  }

  /** Returns whether the member was the last one. */
  remove(member: Member): boolean {
    if (!this.#members.delete(member)) return false
    member.subscriber.readFrom(null)
    return this.#members.size === 0
  }

  /** Sends changed states, and changed numbers if their interval is over. */
  refresh(): void {
    const nowMs = performance.now()
    const areNumbersDue = nowMs - this.#numbersAtMs >= numbersEveryMs
    if (areNumbersDue) this.#numbersAtMs = nowMs
    const connectors = this.#deps.records.list('connector', this.#companyId)
    for (const connector of connectors) this.#update(connector, areNumbersDue)
    if (this.#shown.size > connectors.length) this.#removeDeleted(new Set(connectors.map(({ id }) => id)))
  }

  #update(connector: ConnectorRecord, areNumbersDue: boolean): void {
    const { id } = connector
    const health = findHealth(connector, this.#deps)
    const state = `${stateOf(connector, health, this.#deps)} ${health?.sinceMs} ${health?.owner}`
    const shown = this.#shown.get(id)
    if (shown?.state === state && !areNumbersDue) return
    const { lastSamples: _, ...presented } = presentHealth(connector, this.#deps)
    const frame = frameOf('connectors', 'update', { id, ...presented } satisfies ConnectorUpdate)
    if (shown?.frame.json !== frame.json) this.#show(id, { state, frame })
  }

  #show(id: string, shown: Shown): void {
    this.#shown.set(id, shown)
    for (const pending of this.#members.values()) pending.add(id)
  }

  #removeDeleted(ids: ReadonlySet<string>): void {
    for (const id of this.#shown.keys()) {
      if (ids.has(id)) continue
      this.#shown.delete(id)
      for (const [member, pending] of this.#members) {
        pending.delete(id)
        member.send('removed', { id })
      }
    }
  }
}
