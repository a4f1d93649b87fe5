import type { MachineRef } from '../../../schema/refs.ts'
import { crashOnRejection } from '../../../shared/async/crash-on-rejection.ts'
import type { StateRow } from './state-test.ts'

type RowsOfMachines = ReadonlyMap<MachineRef, readonly StateRow[]>

export interface DerivedStateCacheDeps {
  /**
   * Reads the derived states of machines of a company; null: of all its machines. Returns null or rejects on failure.
   */
  readonly read: (companyId: string, machines: readonly MachineRef[] | null) => Promise<RowsOfMachines | null>
  readonly onChanged: (companyId: string, machineRef: MachineRef) => void
  /** Whether the company has a subscription that reads derived states. */
  readonly isFollowed: (companyId: string) => boolean
  /** Idle period after which a company is evicted; default: a minute. */
  readonly evictedAfterMs?: number
}

interface CachedCompany {
  rows: Map<MachineRef, readonly StateRow[]> | null
  readonly first: Promise<void>
  /** Machines whose documents have changed since the last read. */
  readonly stale: Set<MachineRef>
  usedAtMs: number
  readAllAtMs: number
  isReading: boolean
}

const everyMs = 250
/** States also change with time, because a document may contain the near future. */
const readAllEveryMs = 5_000
const evictedAfterMs = 60_000

/**
 * Caches the states that are derived from documents, for companies with queries or subscriptions. The store is read for
 * all readers together.
 */
export class DerivedStateCache {
  readonly #deps: DerivedStateCacheDeps
  readonly #companies = new Map<string, CachedCompany>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: DerivedStateCacheDeps) {
    this.#deps = deps
  }

  /** The derived states by machine; null: they are not available here. */
  async readRows(companyId: string): Promise<RowsOfMachines | null> {
    const cached = this.#companyOf(companyId)
    await cached.first
    return cached.rows
  }

  /** Starts to report changes of a company, as long as `isFollowed` returns true. */
  follow(companyId: string): void {
    this.#companyOf(companyId)
  }

  /** Marks the documents of a machine as changed; true: `onChanged` follows if its states have changed too. */
  markChanged(companyId: string, machineRef: MachineRef): boolean {
    const cached = this.#companies.get(companyId)
    cached?.stale.add(machineRef)
    // Without cached rows, queries read the store.
    return cached !== undefined && cached.rows !== null
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#companies.clear()
  }

  #companyOf(companyId: string): CachedCompany {
    const cached = this.#companies.get(companyId) ?? this.#addCompany(companyId)
    cached.usedAtMs = performance.now()
    return cached
  }

  #addCompany(companyId: string): CachedCompany {
    const nowMs = performance.now()
    const cached: CachedCompany = {
      rows: null,
      first: this.#read(companyId, null).then(rows => void (cached.rows = rows && new Map(rows))),
      stale: new Set(),
      usedAtMs: nowMs,
      readAllAtMs: nowMs,
      isReading: false,
    }
    this.#companies.set(companyId, cached)
    this.#timer ??= setInterval(() => this.#refreshAll(), everyMs).unref()
    return cached
  }

  /** null: they cannot be read. The next query reads the store and reports the error. */
  async #read(companyId: string, machines: readonly MachineRef[] | null): Promise<RowsOfMachines | null> {
    try {
      return await this.#deps.read(companyId, machines)
    } catch {
      return null
    }
  }

  #refreshAll(): void {
    const nowMs = performance.now()
    for (const [companyId, cached] of this.#companies) {
      const isUnused = nowMs - cached.usedAtMs > (this.#deps.evictedAfterMs ?? evictedAfterMs)
      if (isUnused && !this.#deps.isFollowed(companyId)) this.#evict(companyId, cached)
      // A failed read is retried here.
      else if (!cached.isReading) crashOnRejection(this.#refresh(companyId, cached, nowMs))
    }
  }

  async #refresh(companyId: string, cached: CachedCompany, nowMs: number): Promise<void> {
    const isWhole = nowMs - cached.readAllAtMs > readAllEveryMs
    if (!isWhole && (cached.stale.size === 0 || !cached.rows)) return
    const stale = [...cached.stale]
    cached.isReading = true
    cached.stale.clear()
    if (isWhole) cached.readAllAtMs = nowMs
    await cached.first
    const found = await this.#read(companyId, isWhole ? null : stale)
    cached.isReading = false
    const all = isWhole ? [...(cached.rows?.keys() ?? []), ...(found?.keys() ?? [])] : []
    this.#applyRows(companyId, cached, found, [...stale, ...all])
  }

  #applyRows(
    companyId: string,
    cached: CachedCompany,
    found: RowsOfMachines | null,
    machines: readonly MachineRef[],
  ): void {
    const before = cached.rows
    cached.rows = found && new Map(before ?? [])
    for (const machineRef of new Set(machines)) {
      const rows = found?.get(machineRef) ?? []
      cached.rows?.set(machineRef, rows)
      if (!found || !areEqual(before?.get(machineRef) ?? [], rows)) this.#deps.onChanged(companyId, machineRef)
    }
  }

  #evict(companyId: string, cached: CachedCompany): void {
    if (this.#companies.get(companyId) !== cached) return
    this.#companies.delete(companyId)
    for (const machineRef of cached.stale) this.#deps.onChanged(companyId, machineRef)
  }
}

function areEqual(some: readonly StateRow[], next: readonly StateRow[]): boolean {
  const same = (row: StateRow, i: number) => row.metricKey === next[i]?.metricKey && row.value === next[i]?.value
  return some.length === next.length && some.every(same)
}
