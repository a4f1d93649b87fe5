import type { MachineRef } from '../../../schema/refs.ts'
import { neverRejects } from '../../../shared/async/never-rejects.ts'
import type { StateRow } from './state-test.ts'

type RowsOfMachines = ReadonlyMap<MachineRef, readonly StateRow[]>

export interface MadeStatesDeps {
  /**
   * Reads the derived states of machines of a company; null: of all its machines. Returns null or rejects on failure.
   */
  readonly read: (companyId: string, machines: readonly MachineRef[] | null) => Promise<RowsOfMachines | null>
  /** Called when a derived state of a machine has changed. */
  readonly onChanged: (companyId: string, machineRef: MachineRef) => void
  /** Whether the company has a subscription that reads derived states. */
  readonly isFollowed: (companyId: string) => boolean
  /** Idle period after which a company is evicted; default: a minute. */
  readonly forgottenAfterMs?: number
}

interface Held {
  rows: Map<MachineRef, readonly StateRow[]> | null
  readonly first: Promise<void>
  /** Machines whose documents have changed since the last read. */
  readonly stale: Set<MachineRef>
  askedAtMs: number
  readAllAtMs: number
  isReading: boolean
}

const everyMs = 250
/** States also change with time, because a document may contain the near future. */
const readAllEveryMs = 5_000
const forgottenAfterMs = 60_000

/**
 * Caches the states that are derived from documents, for companies with queries or subscriptions. The store is read for
 * all readers together.
 */
export class MadeStates {
  readonly #deps: MadeStatesDeps
  readonly #companies = new Map<string, Held>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: MadeStatesDeps) {
    this.#deps = deps
  }

  /** The derived states by machine; null: they are not available here. */
  async rowsOf(companyId: string): Promise<RowsOfMachines | null> {
    const held = this.#held(companyId)
    await held.first
    return held.rows
  }

  /** Starts to report changes of a company, as long as `isFollowed` returns true. */
  follow(companyId: string): void {
    this.#held(companyId)
  }

  /** Marks the documents of a machine as changed; true: `onChanged` follows if its states have changed too. */
  documented(companyId: string, machineRef: MachineRef): boolean {
    const held = this.#companies.get(companyId)
    held?.stale.add(machineRef)
    // Without cached rows, queries read the store.
    return held !== undefined && held.rows !== null
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#companies.clear()
  }

  #held(companyId: string): Held {
    const held = this.#companies.get(companyId) ?? this.#hold(companyId)
    held.askedAtMs = performance.now()
    return held
  }

  #hold(companyId: string): Held {
    const nowMs = performance.now()
    const held: Held = {
      rows: null,
      first: this.#read(companyId, null).then(rows => void (held.rows = rows && new Map(rows))),
      stale: new Set(),
      askedAtMs: nowMs,
      readAllAtMs: nowMs,
      isReading: false,
    }
    this.#companies.set(companyId, held)
    this.#timer ??= setInterval(() => this.#refreshAll(), everyMs).unref()
    return held
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
    for (const [companyId, held] of this.#companies) {
      const isForgotten = nowMs - held.askedAtMs > (this.#deps.forgottenAfterMs ?? forgottenAfterMs)
      if (isForgotten && !this.#deps.isFollowed(companyId)) this.#forget(companyId, held)
      // A failed read is retried here.
      else if (!held.isReading) neverRejects(this.#refresh(companyId, held, nowMs))
    }
  }

  async #refresh(companyId: string, held: Held, nowMs: number): Promise<void> {
    const isWhole = nowMs - held.readAllAtMs > readAllEveryMs
    if (!isWhole && (held.stale.size === 0 || !held.rows)) return
    const stale = [...held.stale]
    held.isReading = true
    held.stale.clear()
    if (isWhole) held.readAllAtMs = nowMs
    await held.first
    const found = await this.#read(companyId, isWhole ? null : stale)
    held.isReading = false
    const all = isWhole ? [...(held.rows?.keys() ?? []), ...(found?.keys() ?? [])] : []
    this.#take(companyId, held, found, [...stale, ...all])
  }

  #take(companyId: string, held: Held, found: RowsOfMachines | null, machines: readonly MachineRef[]): void {
    const before = held.rows
    held.rows = found && new Map(before ?? [])
    for (const machineRef of new Set(machines)) {
      const rows = found?.get(machineRef) ?? []
      held.rows?.set(machineRef, rows)
      if (!found || !areEqual(before?.get(machineRef) ?? [], rows)) this.#deps.onChanged(companyId, machineRef)
    }
  }

  #forget(companyId: string, held: Held): void {
    if (this.#companies.get(companyId) !== held) return
    this.#companies.delete(companyId)
    for (const machineRef of held.stale) this.#deps.onChanged(companyId, machineRef)
  }
}

function areEqual(some: readonly StateRow[], others: readonly StateRow[]): boolean {
  const same = (row: StateRow, i: number) => row.metricKey === others[i]?.metricKey && row.value === others[i]?.value
  return some.length === others.length && some.every(same)
}
