import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import { topics, type LiveMessage, type LiveStatus } from '../../schema/topics.ts'
import { liveRecord } from './live-record.ts'
import { liveStatus } from '../timeline/live-status.ts'
import { mayGoStale } from '../timeline/staleness.ts'
import { type MachineTrack } from './machine-track.ts'
import { slotOf } from '../../shared/time/units.ts'
import type { MachineRef } from '../../schema/refs.ts'

export interface StatusPublisherDeps {
  readonly log: Pick<Log, 'append'>
  readonly clock: () => number
  readonly logger: Logger
}

/** Limit of the UTF-16 units of one message as JSON, so that it fits a record of the log; a single status may be a little longer. */
const maxChars = 150_000

interface StatusText {
  readonly status: LiveStatus
  readonly text: string
}

/** Publishes a machine's status on the live topic whenever it differs from the one published last. */
export class StatusPublisher {
  readonly #deps: StatusPublisherDeps
  readonly #published = new Map<MachineRef, string>()
  /** Machines whose last status could not be appended. */
  readonly #unpublished = new Set<MachineRef>()

  constructor(deps: StatusPublisherDeps) {
    this.#deps = deps
  }

  /** Publishes the statuses of machines whose documents of the current hour were written. */
  computed(tracks: Iterable<MachineTrack>): void {
    const nowMs = this.#deps.clock()
    const changed: StatusText[] = []
    for (const { machineRef, parameters, hours } of tracks) {
      const state = hours.get(slotOf(nowMs))?.stateOut
      if (!state) continue
      const status = liveStatus(parameters, state, nowMs)
      const text = JSON.stringify(status)
      this.#unpublished.delete(machineRef)
      if (this.#published.get(machineRef) === text) continue
      this.#published.set(machineRef, text)
      changed.push({ status, text })
    }
    if (changed.length === 0) return
    const records = messages(changed).map(liveRecord)
    this.#deps.log.append(topics.live, records).catch((error: unknown) => this.#failed(changed, error))
  }

  /** Publishes the statuses that change with time, and those that could not be appended. */
  refresh(tracks: Iterable<MachineTrack>): void {
    const isDue = ({ machineRef, parameters }: MachineTrack) =>
      mayGoStale(parameters.settings) || this.#unpublished.has(machineRef)
    this.computed([...tracks].filter(isDue))
  }

  /** Forgets what was published: the machines have another owner, which may publish other statuses. */
  forget(tracks: Iterable<MachineTrack>): void {
    for (const { machineRef } of tracks) {
      this.#published.delete(machineRef)
      this.#unpublished.delete(machineRef)
    }
  }

  #failed(changed: readonly StatusText[], error: unknown): void {
    this.#deps.logger.warn({ err: error }, 'Failed to publish statuses, retrying')
    for (const { status, text } of changed) {
      if (this.#published.get(status.machineRef) !== text) continue
      this.#published.delete(status.machineRef)
      this.#unpublished.add(status.machineRef)
    }
  }
}

function messages(changed: readonly StatusText[]): readonly LiveMessage[] {
  const parts: LiveStatus[][] = []
  let chars = Infinity
  for (const { status, text } of changed) {
    chars += text.length
    if (chars > maxChars) {
      parts.push([])
      chars = text.length
    }
    parts.at(-1)?.push(status)
  }
  return parts.map(statuses => ({ kind: 'status', statuses }))
}
