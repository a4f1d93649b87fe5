/**
 * The latest value of each metric of one machine, sorted by metric, in columns: with thousands of machines an object
 * per value would take too much memory.
 */
export class MachineValues {
  #length = 0
  #chars = 0
  #newestUs = -Infinity
  #metrics = new Uint32Array(8)
  #cells = new Uint32Array(8)
  #atUs = new Float64Array(8)
  readonly #values: string[] = []

  get length(): number {
    return this.#length
  }

  /** Length of all values together, in UTF-16 units. */
  get chars(): number {
    return this.#chars
  }

  /** Time of the newest sample, also of one whose metric was omitted, UTC µs; -Infinity: there was none. */
  get newestUs(): number {
    return this.#newestUs
  }

  seen(atUs: number): void {
    if (atUs > this.#newestUs) this.#newestUs = atUs
  }

  /** Index of a metric; if it is missing, `-1 - index` of its insertion. */
  find(metric: number): number {
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#metrics[middle] ?? 0) < metric) low = middle + 1
      else high = middle
    }
    return low < this.#length && this.#metrics[low] === metric ? low : -1 - low
  }

  metricAt(index: number): number {
    return this.#metrics[index] ?? 0
  }

  /** A number of the pair of machine and metric, unique in this process. */
  cellAt(index: number): number {
    return this.#cells[index] ?? 0
  }

  atUsAt(index: number): number {
    return this.#atUs[index] ?? 0
  }

  valueAt(index: number): string {
    return this.#values[index] ?? ''
  }

  set(index: number, atUs: number, value: string): void {
    this.#atUs[index] = atUs
    this.#chars += value.length - (this.#values[index]?.length ?? 0)
    this.#values[index] = value
  }

  insert(index: number, { metric, cell, atUs, value }: { metric: number; cell: number; atUs: number; value: string }) {
    if (this.#length === this.#metrics.length) this.#grow()
    for (const column of [this.#metrics, this.#cells, this.#atUs]) column.copyWithin(index + 1, index, this.#length)
    this.#metrics[index] = metric
    this.#cells[index] = cell
    this.#atUs[index] = atUs
    this.#values.splice(index, 0, value)
    this.#chars += value.length
    this.#length++
  }

  #grow(): void {
    const length = this.#length + Math.max(8, this.#length >>> 2)
    this.#metrics = grown(this.#metrics, new Uint32Array(length))
    this.#cells = grown(this.#cells, new Uint32Array(length))
    this.#atUs = grown(this.#atUs, new Float64Array(length))
  }
}

function grown<Column extends Uint32Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}
