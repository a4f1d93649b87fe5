import type { Records } from '../../processors/records/records.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { every } from '../../shared/async/every.ts'

const checkEveryMs = 1_000

/** Calls `onTime` when a planned job run starts, moves to production or ends, or a machine is decommissioned. */
export class RunTimes {
  readonly #clock: () => number
  readonly #onTime: (companyId: string) => void
  /** Future instants of each company, UTC ms. */
  readonly #times = new Map<string, Set<number>>()
  readonly #stops: readonly (() => void)[]

  constructor(
    records: Pick<Records, 'onChange' | 'allMachines' | 'companies' | 'list'>,
    clock: () => number,
    onTime: (companyId: string) => void,
  ) {
    this.#clock = clock
    this.#onTime = onTime
    for (const { companyId, decommissionedAt } of records.allMachines()) this.#note(companyId, decommissionedAt)
    for (const { id } of records.companies()) for (const run of records.list('jobRun', id)) this.#noteRun(run)
    const forget = records.onChange(change => {
      if (change.kind === 'jobRun' && change.after) this.#noteRun(change.after)
      if (change.kind === 'machine' && change.after) this.#note(change.after.companyId, change.after.decommissionedAt)
    })
    this.#stops = [forget, every(checkEveryMs, () => this.#check())]
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  #noteRun({ companyId, startAt, endAt, productionAt }: JobRunRecord): void {
    for (const at of [startAt, endAt, productionAt]) this.#note(companyId, at)
  }

  #note(companyId: string, at: string | null): void {
    const atMs = at === null ? Number.NaN : Date.parse(at)
    if (!(atMs > this.#clock())) return
    const times = this.#times.get(companyId)
    if (times) times.add(atMs)
    else this.#times.set(companyId, new Set([atMs]))
  }

  #check(): void {
    const nowMs = this.#clock()
    for (const [companyId, times] of this.#times) {
      const come = [...times].filter(atMs => atMs <= nowMs)
      for (const atMs of come) times.delete(atMs)
      if (times.size === 0) this.#times.delete(companyId)
      if (come.length > 0) this.#onTime(companyId)
    }
  }
}
