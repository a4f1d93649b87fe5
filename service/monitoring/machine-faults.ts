import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { MachineFaultAnswer } from '../../schema/records/machine.ts'
import { topics, type MachineFault, type MachineFaultCode } from '../../schema/topics.ts'
import { liveRecord } from '../../processors/partitions/live-record.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { LiveFeed } from '../live/feed.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** Collects the sample issues that the roles of this process find. */
export interface MachineFaults {
  /**
   * Adds `count` samples to an issue of a machine. `key`: the key of the last sample; null: the issue is not limited to
   * a key.
   */
  tell(machineRef: MachineRef, code: MachineFaultCode, message: string, count: number, key: string | null): void
  stop(): Promise<void>
}

/** Recent sample issues of machines, from all processes. */
export interface FaultBoard {
  /** Returns the issues of a machine, ordered by code, without those that did not occur for a day. */
  get(machineRef: MachineRef): readonly MachineFaultAnswer[]
  stop(): void
}

const publishEveryMs = 1_000
/** Interval at which all issues are published again, for processes that started since. */
const publishAllEveryMs = 60_000
/** Limit of issues in one message, so that it fits a record of the log. */
const maxFaultsPerMessage = 500

/** Counts sample issues per machine and code, and publishes them to all processes through the live topic. */
export function createMachineFaults(log: Log, clock: () => number, logger: Logger): MachineFaults {
  const source = randomUUID()
  const known = new Map<string, MachineFault>()
  const changed = new Set<string>()
  let publishedAllMs = performance.now()
  let sending: Promise<void> = Promise.resolve()

  async function send(): Promise<void> {
    removeOld(known, clock() - dayMs)
    const isAll = performance.now() - publishedAllMs >= publishAllEveryMs
    if (isAll) publishedAllMs = performance.now()
    const ids = isAll ? [...known.keys()] : [...changed]
    changed.clear()
    const faults = ids.flatMap(id => known.get(id) ?? [])
    for (let from = 0; from < faults.length; from += maxFaultsPerMessage) {
      const some = faults.slice(from, from + maxFaultsPerMessage)
      await log.append(topics.live, [liveRecord({ kind: 'faults', source, faults: some })])
    }
  }

  const timer = setInterval(() => {
    sending = sending
      .then(send)
      .catch((error: unknown) => logger.warn({ err: error }, 'Failed to publish sample issues'))
  }, publishEveryMs)
  timer.unref()
  return {
    tell(machineRef, code, message, count, key) {
      const id = `${machineRef} ${code}`
      const nowMs = clock()
      const before = known.get(id)
      const sinceMs = before?.sinceMs ?? nowMs
      known.set(id, { machineRef, code, message, key, sinceMs, lastMs: nowMs, count: (before?.count ?? 0) + count })
      changed.add(id)
    },
    async stop() {
      clearInterval(timer)
      await sending
    },
  }
}

function removeOld(known: Map<string, MachineFault>, beforeMs: number): void {
  for (const [id, { lastMs }] of known) if (lastMs < beforeMs) known.delete(id)
}

/** Collects the issues that all processes publish. */
export function createFaultBoard(feed: LiveFeed, clock: () => number): FaultBoard {
  const bySource = new Map<number, Map<string, MachineFault>>()
  const stop = feed.listen({
    faults({ source, faults }) {
      for (const fault of faults) {
        const ofMachine = bySource.get(fault.machineRef) ?? new Map<string, MachineFault>()
        ofMachine.set(`${fault.code} ${source}`, fault)
        bySource.set(fault.machineRef, ofMachine)
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
      const byCode = new Map<string, MachineFault>()
      for (const fault of ofMachine.values()) byCode.set(fault.code, mergeFaults(byCode.get(fault.code), fault))
      return [...byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1)).map(answerOf)
    },
  }
}

function mergeFaults(a: MachineFault | undefined, b: MachineFault): MachineFault {
  if (!a) return b
  const { message, key = null } = a.lastMs > b.lastMs ? a : b
  const [sinceMs, lastMs] = [Math.min(a.sinceMs, b.sinceMs), Math.max(a.lastMs, b.lastMs)]
  return { ...a, message, key, sinceMs, lastMs, count: a.count + b.count }
}

function answerOf({ code, message, key = null, sinceMs, lastMs, count }: MachineFault): MachineFaultAnswer {
  return { code, message, key, since: new Date(sinceMs).toISOString(), last: new Date(lastMs).toISOString(), count }
}
