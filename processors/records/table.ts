import { getOrCreate } from '../../shared/collections/get-or-create.ts'

/** Records of one kind: by company, then by id. Kinds without a company use `''`. */
export interface RecordTable<T> {
  get(companyId: string, id: string): T | null
  /** Returns a company's records in the order of their creation. */
  list(companyId: string): readonly T[]
  /** Returns the records of all companies. */
  all(): Generator<T, void>
  put(companyId: string, id: string, record: T): void
  delete(companyId: string, id: string): void
}

/** Records by their ids; subclasses add further indexes. */
export class PlainTable<T> implements RecordTable<T> {
  readonly #companies = new Map<string, Map<string, T>>()

  get(companyId: string, id: string): T | null {
    return this.#companies.get(companyId)?.get(id) ?? null
  }

  list(companyId: string): readonly T[] {
    return [...(this.#companies.get(companyId)?.values() ?? [])]
  }

  *all(): Generator<T, void> {
    for (const records of this.#companies.values()) yield* records.values()
  }

  put(companyId: string, id: string, record: T): void {
    getOrCreate(this.#companies, companyId, () => new Map()).set(id, record)
  }

  delete(companyId: string, id: string): void {
    this.#companies.get(companyId)?.delete(id)
  }
}
