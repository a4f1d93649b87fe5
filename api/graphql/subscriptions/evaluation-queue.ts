import { crashOnRejection } from '../../../shared/async/crash-on-rejection.ts'

export interface EvaluationQueueOptions {
  /** Share of one CPU that all work may use, 0 to 1. */
  readonly load: number
  /** Called with the error of rejected work. */
  readonly onError: (error: unknown) => void
  /** CPU time of all threads of the process, ms; default: measured. Tests inject it. */
  readonly usedMs?: () => number
}

type Work = () => Promise<unknown>

interface Tenant {
  /** Work for which a client waits. */
  readonly urgent: Set<Work>
  readonly waiting: Set<Work>
  /** Urgent work started since the last other work. */
  urgentInRow: number
  /** Earliest start of its next work, by `performance.now()`. */
  readyAtMs: number
  running: number
}

/** CPU time that a company may use without a pause after an idle period, ms. */
const burstMs = 250
/** Urgent work may start this much before the end of the company's pause, ms. */
const aheadMs = 2_000
const maxPauseMs = 10_000
/** Maximum number of concurrent work items: in total and per company. */
const maxRunning = 4
const maxRunningOfCompany = 2
/** Maximum age of a CPU time measurement, ms. */
const measureEveryMs = 5
/**
 * Maximum CPU time charged per ms of elapsed time. Threads of the store and the garbage collector run beside the main
 * thread, but at high input rates they also do other work.
 */
const maxPerMs = 2
/** Window over which the CPU use without work is measured, ms; older measurements are halved. */
const idleWindowMs = 2_000
/** Interval between measurements of the CPU use of other threads, ms. */
const watchMs = 1_000
/** Maximum number of urgent work items in a row while other work waits. */
const maxUrgentInRow = 2

/** CPU time of the process at an instant, by `performance.now()`. */
interface Usage {
  readonly atMs: number
  readonly usedMs: number
}

/**
 * Runs the work of several companies in rotation, with limited concurrency. After each work item its company pauses in
 * proportion to the CPU time used, so that all work together uses a share of one CPU and expensive work runs less
 * often.
 */
export class EvaluationQueue {
  readonly #options: EvaluationQueueOptions
  readonly #tenants = new Map<string, Tenant>()
  #running = 0
  #usage: Usage = { atMs: -Infinity, usedMs: 0 }
  /** Start of the idle period; null: work is running, or there has been none yet. */
  #idleSince: Usage | null = null
  /** Duration of idle periods, and the CPU time used in them. */
  #idle = { ms: 0, usedMs: 0 }
  /** CPU time of the process per ms of its main thread, from the last measurement. */
  #perMainMs = 1
  #watched = { atMs: -Infinity, usedMs: 0, loop: performance.eventLoopUtilization() }
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: EvaluationQueueOptions) {
    this.#options = options
  }

  /** Runs the work when its company may start it. Returns a function that removes it if it has not started. */
  add(companyId: string, work: Work, { isUrgent = false } = {}): () => void {
    if (this.#isStopped) return () => undefined
    const tenant = this.#tenantOf(companyId)
    const items = isUrgent ? tenant.urgent : tenant.waiting
    items.add(work)
    this.#next()
    return () => items.delete(work)
  }

  /** Charges time that follows from a company's work, such as sending results. */
  charge(companyId: string, tookMs: number): void {
    const tenant = this.#tenants.get(companyId)
    const nowMs = performance.now()
    if (!tenant) return
    const chargedMs = this.#ofAllThreads(tookMs, nowMs)
    if (this.#idleSince) this.#idle.usedMs -= chargedMs
    this.#pause(tenant, chargedMs, nowMs)
  }

  /** Work that has not started. */
  get waiting(): number {
    let items = 0
    for (const { urgent, waiting } of this.#tenants.values()) items += urgent.size + waiting.size
    return items
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#tenants.clear()
  }

  #tenantOf(companyId: string): Tenant {
    const known = this.#tenants.get(companyId)
    if (known) return known
    const tenant: Tenant = { urgent: new Set(), waiting: new Set(), urgentInRow: 0, readyAtMs: 0, running: 0 }
    this.#tenants.set(companyId, tenant)
    return tenant
  }

  /** Starts work up to the limits, and sets a timer for the end of the next pause. */
  #next(): void {
    clearTimeout(this.#timer)
    const nowMs = performance.now()
    let earliestMs = Infinity
    // A copy: served companies move to the end, so that the other ones come first next time.
    const tenants = Array.from(this.#tenants)
    for (const [companyId, tenant] of tenants) {
      if (this.#running >= maxRunning) return
      const readyMs = this.#mayStart(tenant) ? readyMsOf(tenant) : Infinity
      if (readyMs > nowMs) earliestMs = Math.min(earliestMs, readyMs)
      else this.#begin(companyId, tenant)
      if (isForgettable(tenant, nowMs)) this.#tenants.delete(companyId)
    }
    if (earliestMs === Infinity) return
    this.#timer = setTimeout(() => this.#next(), Math.ceil(earliestMs - nowMs))
    this.#timer.unref()
  }

  #begin(companyId: string, tenant: Tenant): void {
    const work = findNext(tenant)
    if (!work) return
    this.#tenants.delete(companyId)
    this.#tenants.set(companyId, tenant)
    this.#running++
    tenant.running++
    // `onError` receives failures.
    crashOnRejection(this.#run(tenant, work))
  }

  async #run(tenant: Tenant, work: Work): Promise<void> {
    const startedAtMs = performance.now()
    const before = this.#readUsage(startedAtMs)
    this.#endIdle(before)
    await work().catch(this.#options.onError)
    const nowMs = performance.now()
    const passedMs = nowMs - startedAtMs
    const tookMs =
      passedMs < measureEveryMs
        ? this.#ofAllThreads(passedMs, nowMs)
        : Math.min(passedMs * maxPerMs, this.#usedSince(before, nowMs) / this.#running)
    this.#pause(tenant, tookMs, nowMs)
    this.#running--
    tenant.running--
    if (this.#running === 0) this.#idleSince = this.#readUsage(nowMs)
    if (!this.#isStopped) this.#next()
  }

  #pause(tenant: Tenant, tookMs: number, nowMs: number): void {
    const pauseMs = (tookMs * this.#busy) / this.#options.load
    tenant.readyAtMs = Math.min(nowMs + maxPauseMs, Math.max(tenant.readyAtMs, nowMs - burstMs) + pauseMs)
  }

  /** A measurement that may be a few ms old, because a new one costs more than a small work item. */
  #readUsage(nowMs: number): Usage {
    if (nowMs - this.#usage.atMs >= measureEveryMs) {
      const { usedMs = usedByProcessMs } = this.#options
      this.#usage = { atMs: nowMs, usedMs: usedMs() }
    }
    return this.#usage
  }

  /**
   * CPU time of the work since `before`, ms, without what the process uses when idle, such as ingest and merges of the
   * store. Elapsed time would also include other work.
   */
  #usedSince(before: Usage, nowMs: number): number {
    const { atMs, usedMs } = this.#readUsage(nowMs)
    const otherPerMs = this.#idle.ms > 0 ? Math.max(0, this.#idle.usedMs / this.#idle.ms) : 0
    return Math.max(0, usedMs - before.usedMs - (atMs - before.atMs) * otherPerMs)
  }

  #endIdle({ atMs, usedMs }: Usage): void {
    const since = this.#idleSince
    this.#idleSince = null
    if (!since) return
    const weight = this.#idle.ms > idleWindowMs ? 0.5 : 1
    const passedMs = atMs - since.atMs
    // One long idle period must not outweigh many later ones.
    const share = Math.min(1, idleWindowMs / Math.max(1, passedMs))
    this.#idle = {
      ms: this.#idle.ms * weight + passedMs * share,
      usedMs: this.#idle.usedMs * weight + (usedMs - since.usedMs) * share,
    }
  }

  /** Main thread time plus the proportional time of other threads: the store's and the garbage collector's. */
  #ofAllThreads(mainMs: number, nowMs: number): number {
    if (nowMs - this.#watched.atMs >= watchMs) {
      const { usedMs } = this.#readUsage(nowMs)
      const loop = performance.eventLoopUtilization()
      const activeMs = loop.active - this.#watched.loop.active
      const perMainMs = (usedMs - this.#watched.usedMs) / Math.max(1, activeMs)
      if (this.#watched.atMs > -Infinity) this.#perMainMs = Math.min(maxPerMs, Math.max(1, perMainMs))
      this.#watched = { atMs: nowMs, usedMs, loop }
    }
    return mainMs * this.#perMainMs
  }

  /** The last slot is reserved for a company that has no work running. */
  #mayStart({ running }: Tenant): boolean {
    return running === 0 || (running < maxRunningOfCompany && this.#running < maxRunning - 1)
  }

  /** Number of companies with work, at least 1 for the one that has just finished some. */
  get #busy(): number {
    let busy = 0
    for (const { urgent, waiting, running } of this.#tenants.values())
      if (urgent.size + waiting.size + running > 0) busy++
    return Math.max(1, busy)
  }
}

function usedByProcessMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Removes and returns the next work: urgent work first, but at most `maxUrgentInRow` in a row. */
function findNext(tenant: Tenant): Work | undefined {
  const { urgent, waiting, urgentInRow } = tenant
  const isUrgent = urgent.size > 0 && (waiting.size === 0 || urgentInRow < maxUrgentInRow)
  tenant.urgentInRow = isUrgent ? urgentInRow + 1 : 0
  const items = isUrgent ? urgent : waiting
  const [work] = items
  if (work) items.delete(work)
  return work
}

/** Earliest start of the next work; Infinity: none. */
function readyMsOf({ urgent, waiting, readyAtMs }: Tenant): number {
  if (urgent.size > 0) return readyAtMs - aheadMs
  return waiting.size > 0 ? readyAtMs : Infinity
}

function isForgettable({ urgent, waiting, running, readyAtMs }: Tenant, nowMs: number): boolean {
  return urgent.size + waiting.size + running === 0 && readyAtMs <= nowMs - burstMs
}
