import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { MachineFaultAnswer } from '../../schema/records/machine.ts'
import { topics, type MachineFault, type MachineFaultCode } from '../../schema/topics.ts'
import { liveRecord } from '../../processors/partitions/live-record.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { LiveFeed } from '../live/feed.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** Where the roles of this process tell what is wrong with machines' samples. */
export interface MachineFaults {
  /** Adds `count` samples to a fault. `key`: that of the last sample; null if the fault concerns no key. */
  tell(machineRef: MachineRef, code: MachineFaultCode, message: string, count: number, key: string | null): void
  stop(): Promise<void>
}

/** Faults of a machine that every process has told lately. */
export interface FaultBoard {
  /** Faults by code, without those that were not met for a day. */
  get(machineRef: MachineRef): readonly MachineFaultAnswer[]
  stop(): void
}

const tellEveryMs = 1_000
/** Time after which all known faults are told again, for processes that started since. */
const tellAllEveryMs = 60_000
/** Most faults in one message, so that it fits a record of the log. */
const faultsAtOnce = 500

/** Counts faults, one for each machine and code, and tells them to all processes by the live topic. */
export function createMachineFaults(log: Log, clock: () => number, logger: Logger): MachineFaults {
  const source = randomUUID()
  const known = new Map<string, MachineFault>()
  const news = new Set<string>()
  let toldAllMs = performance.now()
  let sending: Promise<void> = Promise.resolve()

  async function send(): Promise<void> {
    forgetOld(known, clock() - dayMs)
    const isAll = performance.now() - toldAllMs >= tellAllEveryMs
    if (isAll) toldAllMs = performance.now()
    const ids = isAll ? [...known.keys()] : [...news]
    news.clear()
    const faults = ids.flatMap(id => known.get(id) ?? [])
    for (let from = 0; from < faults.length; from += faultsAtOnce) {
      const some = faults.slice(from, from + faultsAtOnce)
      await log.append(topics.live, [liveRecord({ kind: 'faults', source, faults: some })])
    }
  }

  const timer = setInterval(() => {
    sending = sending.then(send).catch((error: unknown) => logger.warn({ err: error }, 'faults of machines not told'))
  }, tellEveryMs)
  timer.unref()
  return {
    tell(machineRef, code, message, count, key) {
      const id = `${machineRef} ${code}`
      const nowMs = clock()
      const before = known.get(id)
      const sinceMs = before?.sinceMs ?? nowMs
      known.set(id, { machineRef, code, message, key, sinceMs, lastMs: nowMs, count: (before?.count ?? 0) + count })
      news.add(id)
    },
    async stop() {
      clearInterval(timer)
      await sending
    },
  }
}

function forgetOld(known: Map<string, MachineFault>, beforeMs: number): void {
  for (const [id, { lastMs }] of known) if (lastMs < beforeMs) known.delete(id)
}

/** Follows what all processes tell. */
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
      forgetOld(ofMachine, clock() - dayMs)
      if (ofMachine.size === 0) bySource.delete(machineRef)
      const byCode = new Map<string, MachineFault>()
      for (const fault of ofMachine.values()) byCode.set(fault.code, joined(byCode.get(fault.code), fault))
      return [...byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1)).map(answerOf)
    },
  }
}

function joined(a: MachineFault | undefined, b: MachineFault): MachineFault {
  if (!a) return b
  const { message, key = null } = a.lastMs > b.lastMs ? a : b
  const [sinceMs, lastMs] = [Math.min(a.sinceMs, b.sinceMs), Math.max(a.lastMs, b.lastMs)]
  return { ...a, message, key, sinceMs, lastMs, count: a.count + b.count }
}

function answerOf({ code, message, key = null, sinceMs, lastMs, count }: MachineFault): MachineFaultAnswer {
  return { code, message, key, since: new Date(sinceMs).toISOString(), last: new Date(lastMs).toISOString(), count }
}
