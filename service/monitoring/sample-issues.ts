import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { SampleIssueResponse } from '../../schema/records/machine.ts'
import { topics, type SampleIssue, type SampleIssueCode } from '../../schema/topics.ts'
import { liveRecord } from '../../processors/partitions/live-record.ts'
import { every } from '../../shared/async/every.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { LiveFeed } from '../live/feed.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** Collects the sample issues that the roles of this process find. */
export interface SampleIssueCollector {
  /**
   * Adds `count` samples to an issue of a machine. `key`: the key of the last sample; null: the issue is not limited to
   * a key.
   */
  report(machineRef: MachineRef, code: SampleIssueCode, message: string, count: number, key: string | null): void
  stop(): Promise<void>
}

/** Recent sample issues of machines, from all processes. */
export interface SampleIssueIndex {
  /** Returns the issues of a machine, ordered by code, without those that did not occur for a day. */
  get(machineRef: MachineRef): readonly SampleIssueResponse[]
  stop(): void
}

const publishEveryMs = 1_000
/** Interval at which all issues are published again, for processes that started since. */
const publishAllEveryMs = 60_000
/** Limit of issues in one message, so that it fits a record of the log. */
const maxIssuesPerMessage = 500

/** Counts sample issues per machine and code, and publishes them to all processes through the live topic. */
export function createSampleIssueCollector(log: Log, clock: () => number, logger: Logger): SampleIssueCollector {
  const source = randomUUID()
  const known = new Map<string, SampleIssue>()
  const changed = new Set<string>()
  let publishedAllMs = performance.now()
  let sending: Promise<void> = Promise.resolve()

  async function send(): Promise<void> {
    removeOld(known, clock() - dayMs)
    const isAll = performance.now() - publishedAllMs >= publishAllEveryMs
    if (isAll) publishedAllMs = performance.now()
    const ids = isAll ? [...known.keys()] : [...changed]
    changed.clear()
    const issues = ids.flatMap(id => known.get(id) ?? [])
    for (let from = 0; from < issues.length; from += maxIssuesPerMessage) {
      const some = issues.slice(from, from + maxIssuesPerMessage)
      await log.append(topics.live, [liveRecord({ kind: 'faults', source, faults: some })])
    }
  }

  const stopTimer = every(publishEveryMs, () => {
    sending = sending
      .then(send)
      .catch((error: unknown) => logger.warn({ err: error }, 'Failed to publish sample issues'))
  })
  return {
    report(machineRef, code, message, count, key) {
      const id = `${machineRef} ${code}`
      const nowMs = clock()
      const before = known.get(id)
      const sinceMs = before?.sinceMs ?? nowMs
      known.set(id, { machineRef, code, message, key, sinceMs, lastMs: nowMs, count: (before?.count ?? 0) + count })
      changed.add(id)
    },
    async stop() {
      stopTimer()
      await sending
    },
  }
}

function removeOld(known: Map<string, SampleIssue>, beforeMs: number): void {
  for (const [id, { lastMs }] of known) if (lastMs < beforeMs) known.delete(id)
}

/** Follows the sample issues that all processes publish. */
export function followSampleIssues(feed: LiveFeed, clock: () => number): SampleIssueIndex {
  const bySource = new Map<number, Map<string, SampleIssue>>()
  const stop = feed.listen({
    faults({ source, faults: issues }) {
      for (const issue of issues) {
        const ofMachine = bySource.get(issue.machineRef) ?? new Map<string, SampleIssue>()
        ofMachine.set(`${issue.code} ${source}`, issue)
        bySource.set(issue.machineRef, ofMachine)
      }
    },
  })
  return {
    stop,
    get(machineRef) {
      const ofMachine = bySource.get(machineRef)
      if (!ofMachine) return []
      removeOld(ofMachine, clock() - dayMs)
      if (ofMachine.size === 0) bySource.delete(machineRef)
      const byCode = new Map<string, SampleIssue>()
      for (const issue of ofMachine.values()) byCode.set(issue.code, mergeIssues(byCode.get(issue.code), issue))
      return [...byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1)).map(toResponse)
    },
  }
}

function mergeIssues(a: SampleIssue | undefined, b: SampleIssue): SampleIssue {
  if (!a) return b
  const { message, key = null } = a.lastMs > b.lastMs ? a : b
  const [sinceMs, lastMs] = [Math.min(a.sinceMs, b.sinceMs), Math.max(a.lastMs, b.lastMs)]
  return { ...a, message, key, sinceMs, lastMs, count: a.count + b.count }
}

function toResponse({ code, message, key = null, sinceMs, lastMs, count }: SampleIssue): SampleIssueResponse {
  return { code, message, key, since: new Date(sinceMs).toISOString(), last: new Date(lastMs).toISOString(), count }
}
