import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import { topics, type LiveStatus } from '../../schema/topics.ts'
import { liveRecord } from './live-record.ts'
import { liveStatus } from '../timeline/live-status.ts'
import { mayGoStale } from '../timeline/staleness.ts'
import { type MachineTrack } from './machine-track.ts'
import { slotOf } from '../../shared/time/units.ts'

export interface StatusPublisherDeps {
  readonly log: Log
  readonly clock: () => number
  readonly logger: Logger
}

export interface StatusPublisher {
  /** Documents of the current hour were written for these machines. */
  computed(tracks: Iterable<MachineTrack>): void
  /** Time has passed: machines that go stale by themselves. */
  refresh(tracks: Iterable<MachineTrack>): void
}

/** Puts a machine's status on the live topic whenever it differs from what was put there last. */
export function createStatusPublisher({ log, clock, logger }: StatusPublisherDeps): StatusPublisher {
  const published = new Map<number, string>()

  function publish(tracks: Iterable<MachineTrack>): void {
    const nowMs = clock()
    const statuses: LiveStatus[] = []
    for (const track of tracks) {
      const state = track.hours.get(slotOf(nowMs))?.stateOut
      if (!state) continue
      const status = liveStatus(track.inputs, state, nowMs)
      const text = JSON.stringify(status)
      if (published.get(track.machineRef) === text) continue
      published.set(track.machineRef, text)
      statuses.push(status)
    }
    if (statuses.length > 0) send(statuses)
  }

  function send(statuses: readonly LiveStatus[]): void {
    log
      .append(topics.live, [liveRecord({ kind: 'status', statuses })])
      .catch((error: unknown) => logger.warn({ err: error }, 'statuses not published'))
  }

  return {
    computed: publish,
    refresh: tracks => publish([...tracks].filter(({ inputs }) => mayGoStale(inputs.settings))),
  }
}
