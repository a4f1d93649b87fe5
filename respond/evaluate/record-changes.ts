import type { Records } from '../../processors/records/records.ts'
import { type IncidentRecord, settledAt } from '../../schema/records/incident.ts'

export interface RecordChangesDeps {
  readonly records: Records
  /** Resolves to the clock of the last change of a record with a time since an instant, UTC ms, by id of the machine. */
  readonly readRecordChanges: (companyId: string, fromMs: number) => Promise<ReadonlyMap<string, number>>
}

/** When records with a time changed: an incident whose stop then has another reason ends by its record. */
export class RecordChanges {
  readonly #deps: RecordChangesDeps
  readonly #byMachine = new Map<string, number>()
  #lacksEarlier = false

  constructor(deps: RecordChangesDeps) {
    this.#deps = deps
  }

  /** Clock of the last change, UTC ms, by id of the machine. */
  get byMachine(): ReadonlyMap<string, number> {
    return this.#byMachine
  }

  changed(machineId: string, nowMs: number): void {
    this.#byMachine.set(machineId, nowMs)
  }

  /** Notes that a partition was taken over: records of its machines may have changed before. */
  lacksEarlier(): void {
    this.#lacksEarlier = true
  }

  /** Reads the changes from before a take-over that decide how incidents end, if they are lacking. */
  async readEarlier(): Promise<void> {
    if (!this.#lacksEarlier) return
    this.#lacksEarlier = false
    try {
      for (const { id } of this.#deps.records.companies()) await this.#readOf(id)
    } catch (error) {
      this.#lacksEarlier = true
      throw error
    }
  }

  async #readOf(companyId: string): Promise<void> {
    const { records, readRecordChanges } = this.#deps
    const hasReasons = ({ ruleId }: IncidentRecord) => {
      const condition = ruleId === null ? undefined : records.get('alertRule', companyId, ruleId)?.condition
      return condition !== undefined && 'stop' in condition && condition.stop.reasons.length > 0
    }
    const stops = records.list('incident', companyId).filter(each => settledAt(each) === null && hasReasons(each))
    if (stops.length === 0) return
    const fromMs = Math.min(...stops.map(({ detectedAt }) => Date.parse(detectedAt)))
    for (const [machineId, ms] of await readRecordChanges(companyId, fromMs))
      this.#byMachine.set(machineId, Math.max(ms, this.#byMachine.get(machineId) ?? ms))
  }
}
