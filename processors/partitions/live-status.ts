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
  readonly log: Log
  readonly clock: () => number
  readonly logger: Logger
}

export interface StatusPublisher {
  /** Documents of the current hour were written for these machines. */
  computed(tracks: Iterable<MachineTrack>): void
  /** Time has passed: tells machines that go stale by themselves, and once more what the log did not take. */
  refresh(tracks: Iterable<MachineTrack>): void
  /**
   * The machines have another owner, which may publish other statuses: the statuses published here are no longer
   * relevant.
   */
  forget(tracks: Iterable<MachineTrack>): void
}

/** UTF-16 units of one message as JSON, so that it fits a record of the log; a single status may be a little longer. */
const mostChars = 150_000

interface Told {
  readonly status: LiveStatus
  /** The status as JSON. */
  readonly text: string
}

/** Puts a machine's status on the live topic whenever it differs from what was put there last. */
export function createStatusPublisher({ log, clock, logger }: StatusPublisherDeps): StatusPublisher {
  const published = new Map<MachineRef, string>()
  /** Machines whose last status the log did not take. */
  const untold = new Set<MachineRef>()

  function publish(tracks: Iterable<MachineTrack>): void {
    const nowMs = clock()
    const told: Told[] = []
    for (const track of tracks) {
      const state = track.hours.get(slotOf(nowMs))?.stateOut
      if (!state) continue
      const status = liveStatus(track.inputs, state, nowMs)
      const text = JSON.stringify(status)
      untold.delete(track.machineRef)
      if (published.get(track.machineRef) === text) continue
      published.set(track.machineRef, text)
      told.push({ status, text })
    }
    if (told.length > 0) send(told)
  }

  function send(told: readonly Told[]): void {
    log.append(topics.live, messages(told).map(liveRecord)).catch((error: unknown) => failed(told, error))
  }

  function failed(told: readonly Told[], error: unknown): void {
    logger.warn({ err: error }, 'Failed to publish statuses, retrying')
    for (const { status, text } of told) {
      if (published.get(status.machineRef) !== text) continue
      published.delete(status.machineRef)
      untold.add(status.machineRef)
    }
  }

  function isDue({ machineRef, inputs }: MachineTrack): boolean {
    return mayGoStale(inputs.settings) || untold.has(machineRef)
  }

  return {
    computed: publish,
    refresh: tracks => publish([...tracks].filter(isDue)),
    forget(tracks) {
      for (const { machineRef } of tracks) {
        published.delete(machineRef)
        untold.delete(machineRef)
      }
    },
  }
}

function messages(told: readonly Told[]): readonly LiveMessage[] {
  const parts: LiveStatus[][] = []
  let chars = Infinity
  for (const { status, text } of told) {
    chars += text.length
    if (chars > mostChars) {
      parts.push([])
      chars = text.length
    }
    parts.at(-1)?.push(status)
  }
  return parts.map(statuses => ({ kind: 'status', statuses }))
}
