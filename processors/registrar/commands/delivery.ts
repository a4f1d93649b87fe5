import type { NewDelivery, NoticeName } from '../../../schema/commands/delivery-commands.ts'
import { type DeliveryRecord, isUndecided } from '../../../schema/records/delivery.ts'
import type { IncidentNotice, IncidentRecord } from '../../../schema/records/incident.ts'
import { type Change, changeBetween } from '../../../schema/records/record-kinds.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { changeTo, type CommandSpec, type CompanyContext, companyCommand } from '../deciding/command.ts'
import { notFound } from '../deciding/command-rejection.ts'
import { lookUpIncident } from '../deciding/find-incident.ts'
import { requireOwner } from '../deciding/partition-owner.ts'

/**
 * Creates deliveries of a target with their ids in the notices, so that a notice is in one delivery only. 409 if the
 * partition has another owner.
 */
const create: CommandSpec = companyCommand(
  'delivery.create',
  ({ targetId, deliveries, dropped, ...owner }, context) => {
    requireOwner(owner, context)
    const batch = new Batch(canonicalId(targetId), context)
    const refused = deliveries.filter((each, index) => !batch.create(each, index)).map(({ id }) => id)
    batch.drop(dropped)
    return { changes: batch.changes, result: { refused } }
  },
)

/** Stores the outcome of an attempt. Returns the delivery; one with a final state stays. 404 if there is none. */
const record: CommandSpec = companyCommand(
  'delivery.record',
  ({ id, state, error, disablesTarget, ...owner }, context) => {
    requireOwner(owner, context)
    const { records, company, now } = context
    const before = records.get('delivery', company.id, id)
    if (!before) throw notFound()
    if (!isUndecided(before)) return { changes: [], result: before }
    const after: DeliveryRecord = {
      ...before,
      state,
      lastError: error,
      failedAt: before.failedAt ?? (state === 'failed' ? now : null),
      sentAt: state === 'sent' ? now : null,
    }
    const disabled = disablesTarget ? disabledTarget(before.targetId, error, context) : []
    return { changes: [...changeTo('delivery', before.id, before, after), ...disabled], result: after }
  },
)

function disabledTarget(targetId: string, cause: string | null, context: CompanyContext): readonly Change[] {
  const { records, company, now } = context
  const target = records.get('alertTarget', company.id, targetId)
  if (!target || target.disabledAt !== null) return []
  return changeTo('alertTarget', target.id, target, { ...target, disabledAt: now, disabledCause: cause })
}

/** The deliveries of one command, each of which sees the notices as those before it left them. */
class Batch {
  readonly #targetId: string
  readonly #context: CompanyContext
  readonly #created = new Map<string, DeliveryRecord>()
  readonly #before = new Map<string, IncidentRecord>()
  readonly #after = new Map<string, IncidentRecord>()

  constructor(targetId: string, context: CompanyContext) {
    this.#targetId = targetId
    this.#context = context
  }

  get changes(): readonly Change[] {
    const incidents = [...this.#after].flatMap(([id, after]) =>
      changeTo('incident', id, this.#before.get(id) ?? null, after),
    )
    return [...Array.from(this.#created, ([id, each]) => changeBetween('delivery', id, null, each)), ...incidents]
  }

  /** Returns false if the delivery is refused. */
  create({ id, notices, ...fields }: NewDelivery, index: number): boolean {
    const { records, company, now } = this.#context
    const isKnown = this.#created.has(id) || records.get('delivery', company.id, id) !== null
    if (isKnown || !notices.every(name => this.#isWaiting(name))) return false
    const isSummarized = fields.event === 'incident.summary'
    for (const name of notices) this.#change(name, notice => [{ ...notice, deliveryId: id, isSummarized }])
    this.#created.set(id, {
      ...fields,
      id,
      companyId: company.id,
      targetId: this.#targetId,
      incidentIds: [...new Set(notices.map(({ incidentId }) => incidentId))],
      state: 'pending',
      createdAt: now,
      index,
      failedAt: null,
      sentAt: null,
      lastError: null,
    })
    return true
  }

  /** Removes waiting notices: their message is not needed any more. */
  drop(names: readonly NoticeName[]): void {
    for (const name of names) if (this.#isWaiting(name)) this.#change(name, () => [])
  }

  #isWaiting(name: NoticeName): boolean {
    return this.#incident(name)?.notices.some(notice => this.#isNamed(notice, name)) === true
  }

  #change(name: NoticeName, change: (notice: IncidentNotice) => readonly IncidentNotice[]): void {
    const incident = this.#incident(name)
    if (!incident) return
    this.#before.set(incident.id, this.#before.get(incident.id) ?? incident)
    const notices = incident.notices.flatMap(notice => (this.#isNamed(notice, name) ? change(notice) : [notice]))
    this.#after.set(incident.id, { ...incident, notices })
  }

  #incident({ incidentId }: NoticeName): IncidentRecord | null {
    return this.#after.get(incidentId) ?? lookUpIncident(incidentId, this.#context)
  }

  #isNamed({ event, step, repeat, targetId, deliveryId }: IncidentNotice, name: NoticeName): boolean {
    const isSame = event === name.event && step === name.step && repeat === name.repeat
    return isSame && targetId === this.#targetId && deliveryId === null
  }
}

export const deliveryCommands = [create, record]
